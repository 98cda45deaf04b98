import assert from "node:assert/strict";
import {
  base64Length,
  isDnsName,
  isUnspecified,
  parseUrl,
  splitHostPort,
} from "../../../config/documents/checks.ts";

for (
  const [text, unspecified] of [
    ["0.0.0.0", true],
    ["::", true],
    ["0:0::0", true],
    ["0.0.0.1", false],
    ["::1", false],
    ["", false],
  ] as const
) {
  Deno.test(`isUnspecified says ${unspecified} of "${text}"`, () => {
    assert.equal(isUnspecified(text), unspecified);
  });
}

for (
  const [text, parts] of [
    ["10.0.0.1:80", { host: "10.0.0.1", port: "80" }],
    ["node:http", { host: "node", port: "http" }],
    ["[fd00::1]:80", { host: "fd00::1", port: "80" }],
    [":80", { host: "", port: "80" }],
    ["node:", { host: "node", port: "" }],
    ["node", undefined],
    ["fd00::1:80", undefined],
    ["[fd00::1]", undefined],
    ["[fd00::1]80", undefined],
    ["no]de:80", undefined],
    ["", undefined],
  ] as const
) {
  Deno.test(`splitHostPort takes "${text}" apart`, () => {
    assert.deepEqual(splitHostPort(text), parts);
  });
}

for (
  const [text, right] of [
    ["cluster.local", true],
    ["cluster.local.", true],
    ["_tcp.example.com", true],
    ["a".repeat(63), true],
    ["a".repeat(64), false],
    ["-a.example.com", false],
    ["a..b", false],
    [".", false],
    ["", false],
    ["bad name", false],
    [Array(5).fill("a".repeat(60)).join("."), false],
  ] as const
) {
  Deno.test(`isDnsName says ${right} of "${text.slice(0, 70)}"`, () => {
    assert.equal(isDnsName(text), right);
  });
}

for (
  const [text, length] of [
    ["AAAA", 3],
    ["AAA=", 2],
    ["AA==", 1],
    ["AA\n==", 1],
    ["", 0],
    ["AAA", undefined],
    ["A===", undefined],
    ["AA-_", undefined],
    ["AAA =", undefined],
  ] as const
) {
  Deno.test(`base64Length of ${JSON.stringify(text)} is ${length}`, () => {
    assert.equal(base64Length(text), length);
  });
}

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
