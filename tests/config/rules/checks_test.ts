import assert from "node:assert/strict";
import {
  endpointFault,
  isAddress,
  isAddressOrCidr,
  isCidr,
  isFilter,
  isServiceUrl,
  isSize,
} from "../../../config/rules/checks.ts";

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

Deno.test("isAddressOrCidr takes both", () => {
  const texts = ["10.0.0.1", "fd00::1/64", "10.0.0.1/", "node"];
  assert.deepEqual(texts.map(isAddressOrCidr), [true, true, false, false]);
});

Deno.test("isFilter takes one exclamation mark", () => {
  const texts = ["10.0.0.0/8", "!10.0.0.1", "!!10.0.0.1", "!", "node"];
  assert.deepEqual(texts.map(isFilter), [true, true, false, false, false]);
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
    ["https://node:0", "has port 0, which does not exist"],
    ["https://node:65536", "has port 65536, which does not exist"],
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
