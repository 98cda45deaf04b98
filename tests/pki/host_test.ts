import assert from "node:assert/strict";
import { matchesHost } from "../../pki/host.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePemAs } from "../../pki/pem.ts";
import { serverPem } from "./_certificates.ts";

function matches(dns: string, host: string): boolean {
  return matchesHost({ subjectAltNames: { dns: [dns], ips: [] } }, host);
}

for (
  const [host, expected] of [
    ["10.0.0.2", true],
    ["::ffff:10.0.0.2", true],
    ["10.0.0.3", false],
    ["fd00::2", true],
    ["[FD00:0:0::2]", true],
    ["fd00::3", false],
    ["node.example.org", true],
    ["NODE.example.org.", true],
    ["a.pod.example.org", true],
    ["a.b.pod.example.org", false],
    ["pod.example.org", false],
    ["other.example.org", false],
    ["", false],
  ] as const
) {
  Deno.test(`matchesHost says ${expected} to "${host}"`, () => {
    const [der] = decodePemAs("CERTIFICATE", serverPem);
    assert.equal(matchesHost(inspectCertificate(der), host), expected);
  });
}

for (
  const [pattern, host] of [
    ["n*.example.org", "node.example.org"],
    ["*", "node"],
    ["*.*.org", "a.b.org"],
    ["a.*.org", "a.b.org"],
    ["*.example.org", ".example.org"],
    ["*.example.org", "*.example.org"],
    ["node.example", "node.example.org"],
    ["node.example.org", "node.example"],
    ["*.example", "node.example.org"],
    ["*.0.0.1", "10.0.0.1"],
    ["10.0.0.1", "10.0.0.1"],
    ["exa mple.org", "exa mple.org"],
    ["", ""],
  ] as const
) {
  Deno.test(`matchesHost does not let "${pattern}" stand for "${host}"`, () => {
    assert.equal(matches(pattern, host), false);
  });
}

Deno.test("matchesHost takes a wildcard above a top-level domain", () => {
  assert.equal(matches("*.lan", "node.lan"), true);
});
