import assert from "node:assert/strict";
import fc from "fast-check";
import { ConfigError } from "../../../errors.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";

const spellings = [
  ["10.0.0.1", "10.0.0.1", 50000, "10.0.0.1:50000"],
  ["10.0.0.1:443", "10.0.0.1", 443, "10.0.0.1:443"],
  ["node1", "node1", 50000, "node1:50000"],
  [
    "node1.example.org:50001",
    "node1.example.org",
    50001,
    "node1.example.org:50001",
  ],
  [
    "node_1.example.org.",
    "node_1.example.org.",
    50000,
    "node_1.example.org.:50000",
  ],
  ["fd00::1", "fd00::1", 50000, "[fd00::1]:50000"],
  ["[fd00::1]", "fd00::1", 50000, "[fd00::1]:50000"],
  ["[fd00::1]:6443", "fd00::1", 6443, "[fd00::1]:6443"],
  ["::1", "::1", 50000, "[::1]:50000"],
  ["fe80::1%eth0", "fe80::1%eth0", 50000, "[fe80::1%eth0]:50000"],
  [
    "https://cluster.example.org",
    "cluster.example.org",
    443,
    "cluster.example.org:443",
  ],
  [
    "HTTPS://cluster.example.org",
    "cluster.example.org",
    443,
    "cluster.example.org:443",
  ],
  [
    "https://cluster.example.org:8443/",
    "cluster.example.org",
    8443,
    "cluster.example.org:8443",
  ],
  ["https://[fd00::1]", "fd00::1", 443, "[fd00::1]:443"],
  ["grpc://10.0.0.1", "10.0.0.1", 50000, "10.0.0.1:50000"],
  ["http://10.0.0.1/path?query", "10.0.0.1", 50000, "10.0.0.1:50000"],
  ["  10.0.0.1 ", "10.0.0.1", 50000, "10.0.0.1:50000"],
] as const;

for (const [text, host, port, canonical] of spellings) {
  Deno.test(`parseEndpoint reads "${text}"`, () => {
    assert.deepEqual(parseEndpoint(text), { host, port, text: canonical });
  });
}

const problems = [
  ["", "it has no host"],
  [":50000", "it has no host"],
  ["https://", "it has no host"],
  ["[]:1", "it has no host"],
  ["10.0.0.256", '"10.0.0.256" is not a host'],
  ["10.0.0", '"10.0.0" is not a host'],
  ["node 1", '"node 1" is not a host'],
  ["a,b", '"a,b" is not a host'],
  ["user@node1", '"user@node1" is not a host'],
  ["[node1]x", '"[node1]x" is not a host'],
  ["[node1:50000", '"[node1" is not a host'],
  ["-node1", '"-node1" is not a host'],
  ["1::2::3", '"1::2:" is not a host'],
  ["node1:", 'port "" is not a number from 1 to 65535'],
  ["node1:0", 'port "0" is not a number from 1 to 65535'],
  ["node1:65536", 'port "65536" is not a number from 1 to 65535'],
  ["node1:+1", 'port "+1" is not a number from 1 to 65535'],
  ["[fd00::1]:x", 'port "x" is not a number from 1 to 65535'],
] as const;

for (const [text, why] of problems) {
  Deno.test(`parseEndpoint refuses "${text}" by name`, () => {
    assert.throws(() => parseEndpoint(text), {
      name: "ConfigError",
      message: `Cannot use endpoint "${text}": ${why}`,
    });
  });
}

Deno.test("parseEndpoint repeats no password", () => {
  for (const text of ["user:s3cret@node1:1", "https://user:s3cret@node1/"]) {
    assert.throws(
      () => parseEndpoint(text),
      /endpoint "(https:\/\/)?user:\*{6}@node1.*": "user:\*{6}@node1(:1)?" is not a host$/,
    );
  }
});

Deno.test("parseEndpoint reads what it wrote itself as the same", () => {
  const host = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6());
  fc.assert(
    fc.property(host, fc.integer({ min: 1, max: 65535 }), (host, port) => {
      const endpoint = parseEndpoint(
        host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
      );
      assert.deepEqual(parseEndpoint(endpoint.text), endpoint);
      assert.equal(endpoint.port, port);
    }),
  );
});

Deno.test("parseEndpoint of any text gives an endpoint or a ConfigError", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    try {
      const { port } = parseEndpoint(text);
      assert.ok(port >= 1 && port <= 65535);
    } catch (error) {
      assert.ok(error instanceof ConfigError, String(error));
    }
  }));
});
