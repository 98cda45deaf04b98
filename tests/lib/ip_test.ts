import assert from "node:assert/strict";
import { addressOfBytes, canonicalAddress } from "../../lib/ip.ts";

for (
  const [text, canonical] of [
    ["10.0.0.1", "10.0.0.1"],
    ["::1", "::1"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["FE80::00A1", "fe80::a1"],
    ["fe80::1%eth0", "fe80::1"],
    ["[fd00::2]", "fd00::2"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["::FFFF:0a00:0001", "10.0.0.1"],
    ["::", "::"],
  ] as const
) {
  Deno.test(`canonicalAddress spells ${text} as ${canonical}`, () => {
    assert.equal(canonicalAddress(text), canonical);
  });
}

for (
  const text of [
    "",
    "node",
    "256.0.0.1",
    "10.0.0",
    "010.0.0.1",
    "0x0a.0.0.1",
    "10.0.0.1.",
    "1::2::3",
    "12345::",
    ":",
    "fe80::1%",
    "::1]/path[",
    "[10.0.0.1]",
    "[::1",
    "::1/64",
  ]
) {
  Deno.test(`canonicalAddress does not take "${text}" for an address`, () => {
    assert.equal(canonicalAddress(text), undefined);
  });
}

Deno.test("addressOfBytes reads IPv4 and IPv6", () => {
  assert.equal(addressOfBytes(Uint8Array.of(10, 0, 0, 2)), "10.0.0.2");
  const bytes = Uint8Array.fromHex("fd000000000000000000000000000002");
  assert.equal(addressOfBytes(bytes), "fd00::2");
});

Deno.test("addressOfBytes refuses other lengths", () => {
  assert.equal(addressOfBytes(new Uint8Array(5)), undefined);
});
