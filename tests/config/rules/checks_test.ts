import assert from "node:assert/strict";
import {
  endpointFault,
  isAddress,
  isCidr,
  isServiceUrl,
  isSize,
  joinWords,
  listTexts,
  machineTypeRules,
  readRole,
} from "../../../config/rules/checks.ts";
import { ruleContext, testRules } from "./_rules.ts";

Deno.test("isAddress takes addresses without zone and length", () => {
  const texts = ["10.0.0.1", "fd00::1", "fe80::1%eth0", "10.0.0.1/8", "", "x"];
  assert.deepEqual(texts.map(isAddress), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

Deno.test("isCidr takes lengths with zeros in front", () => {
  const texts = ["10.0.0.1/24", "10.0.0.1/024", "10.0.0.1/0", "10.0.0.1/33"];
  assert.deepEqual(texts.map(isCidr), [true, true, true, false]);
});

for (
  const [text, right] of [
    ["4GB", true],
    ["1,000 kib", true],
    ["1.5 T", true],
    [".5k", true],
    ["5.", true],
    ["18446744073709551615", true],
    ["", false],
    ["-5", false],
    ["1.2.3", false],
    ["4 gigs", false],
    ["1e3", false],
    ["k", false],
  ] as const
) {
  Deno.test(`isSize says ${right} of "${text}"`, () => {
    assert.equal(isSize(text), right);
  });
}

for (
  const [text, fault] of [
    ["https://10.0.0.1:6443", undefined],
    ["https://[fd00::1]:6443", undefined],
    ["https://node", undefined],
    ["https://node:", undefined],
    ["https://user:word@node:65535/path?q", undefined],
    ["https://fd00::1:6443", "has an IPv6 address without brackets"],
    ["https://fd00:1:6443", "has an IPv6 address without brackets"],
    ["tcp://a:b:1", undefined],
    ["tcp://a:b:c:1", "has an IPv6 address without brackets"],
    ["https://a b", "is not a URL"],
    ["10.0.0.1:6443", "is not a URL"],
    ["node:6443", "has no host"],
    ["", "has no host"],
    ["https://:6443", "has no host"],
    ["https://node:0", "has port 0, which is out of range"],
    ["https://node:65536", "has port 65536, which is out of range"],
  ] as const
) {
  Deno.test(`endpointFault of "${text}" is ${fault}`, () => {
    assert.equal(endpointFault(text), fault);
  });
}

for (
  const [text, right] of [
    ["https://node/", true],
    ["https://node", true],
    ["https://node/?a#b", true],
    ["/", true],
    ["/?a", true],
    ["node:1", true],
    ["https://node/path", false],
    ["https://node/#a", false],
    ["https://node#a", false],
    ["//node", false],
    ["node", false],
    ["", false],
  ] as const
) {
  Deno.test(`isServiceUrl says ${right} of "${text}"`, () => {
    assert.equal(isServiceUrl(text), right);
  });
}

const root = ruleContext("list: [a, ~, '', {}]\nmap: {}\nnone: ~\n", "metal")
  .documents[0]?.cursor;

Deno.test("listTexts omits nulls and collections", () => {
  assert.ok(root);
  const found = listTexts(root.get("list")).map(([place, text]) =>
    [place.path.join("."), text] as const
  );
  assert.deepEqual(found, [["list.0", "a"], ["list.2", ""]]);
  assert.deepEqual(listTexts(root.get("map")), []);
});

Deno.test("joinWords joins words", () => {
  assert.equal(joinWords(["a"]), '"a"');
  assert.equal(joinWords(["a", "b", "c"]), '"a", "b" or "c"');
});

for (
  const [type, role] of [
    ["controlplane", "controlplane"],
    ["init", "controlplane"],
    ["worker", "worker"],
    ["join", "worker"],
    ["''", "worker"],
    ["Worker", "unknown"],
  ] as const
) {
  Deno.test(`readRole type ${type} is ${role}`, () => {
    const context = ruleContext(`machine: {type: ${type}}\n`, "metal");
    const root = context.documents[0]?.cursor;
    assert.ok(root);
    assert.equal(readRole(root), role);
  });
}

testRules("machineTypeRules", machineTypeRules, [
  ["takes a worker", "machine: {type: worker}", []],
  ["takes a first control plane", "machine: {type: init}", []],
  ["warns of an alias", "machine: {type: join}", [
    'warning machine.type: Machine type "join" is deprecated',
  ]],
  ["warns of a missing type", "machine: {}", [
    "warning machine.type: Machine type is missing; the default is worker",
  ]],
  ["refuses other words", "machine: {type: master}", [
    'error machine.type: Machine type "master" does not exist',
  ]],
]);
