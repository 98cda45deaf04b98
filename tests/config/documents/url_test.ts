import assert from "node:assert/strict";
import { parseUrl } from "../../../config/documents/url.ts";

const parts = { scheme: "https", host: "node", port: "", path: "", query: "" };

for (
  const [text, expected] of [
    ["https://node", parts],
    ["HTTPS://node", parts],
    ["https://node:6443/", { ...parts, port: "6443", path: "/" }],
    ["https://node:", parts],
    ["https://user:pw@node/a%20b", { ...parts, path: "/a%20b" }],
    ["https://[fd00::1]:6443", { ...parts, host: "fd00::1", port: "6443" }],
    ["https://[fe80::1%25eth0]", { ...parts, host: "fe80::1%eth0" }],
    ["https://node?a=b#c", { ...parts, query: "a=b" }],
    ["https://", { ...parts, host: "" }],
    ["https:node:1", { ...parts, host: "" }],
    ["tcp://fd00::1:80", {
      ...parts,
      scheme: "tcp",
      host: "fd00::1",
      port: "80",
    }],
    ["//node/x", { ...parts, scheme: "", path: "/x" }],
    ["node", { ...parts, scheme: "", host: "", path: "node" }],
    ["///x", { ...parts, scheme: "", host: "", path: "///x" }],
    ["", { ...parts, scheme: "", host: "" }],
  ] as const
) {
  Deno.test(`parseUrl takes "${text}" apart`, () => {
    assert.deepEqual(parseUrl(text), expected);
  });
}

for (
  const text of [
    "10.0.0.1:6443",
    ":foo",
    "https://node:x",
    "https://fd00::1:80",
    "tcp://fd00::1:x",
    "https://[10.0.0.1]",
    "https://[fd00::1",
    "https://a[fd00::1]",
    "https://no de",
    "https://us er@node",
    "https://node/%zz",
    "https://node/#%zz",
    "https://node/\n",
    "https://no%41de",
  ]
) {
  Deno.test(`parseUrl does not read ${JSON.stringify(text)}`, () => {
    assert.equal(parseUrl(text), undefined);
  });
}

Deno.test("parseUrl reads hosts of any length", () => {
  const host = "a%C3%BC.".repeat(3e5);
  assert.deepEqual(parseUrl(`https://${host}`), { ...parts, host });
  assert.equal(parseUrl(`https://${host}%`), undefined);
});
