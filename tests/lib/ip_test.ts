import assert from "node:assert/strict";
import {
  addressAt,
  addressBytes,
  addressFamily,
  canonicalAddress,
  contains,
  firstAddress,
  formatAddress,
  hostPort,
  ipv4Range,
  overlap,
  parseNetwork,
} from "../../lib/ip.ts";

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

for (
  const [text, family] of [
    ["10.0.0.1", 4],
    ["fd00::1", 6],
    ["::ffff:10.0.0.1", 6],
    ["fe80::1%eth0", 6],
    ["[fd00::1]", undefined],
    ["010.0.0.1", undefined],
    ["10.0.0.1/24", undefined],
    ["10.0.0", undefined],
    ["node", undefined],
    ["", undefined],
    ["255.255.255.255", 4],
    ["0.0.0.0", 4],
    ["::1", 6],
    ["fd00::10", 6],
    ["2001:db8:0:0:0:0:0:1", 6],
    ["10.0.0.256", undefined],
    ["10.0.0.1.", undefined],
    ["10.0.0.1.1", undefined],
    ["1::2::3", undefined],
    [":", undefined],
    ["node1", undefined],
  ] as const
) {
  Deno.test(`addressFamily of "${text}" is ${family}`, () => {
    assert.equal(addressFamily(text), family);
  });
}

const bytes = [
  ["10.0.0.255", "0a0000ff"],
  ["::", "00000000000000000000000000000000"],
  ["::1", "00000000000000000000000000000001"],
  ["fd00::", "fd000000000000000000000000000000"],
  ["2001:DB8::a:b", "20010db80000000000000000000a000b"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
  ["::ffff:10.0.0.1", "00000000000000000000ffff0a000001"],
  ["fe80::1%eth0", "fe800000000000000000000000000001"],
] as const;

for (const [address, hex] of bytes) {
  Deno.test(`addressBytes of ${address} are in network order`, () => {
    assert.equal(new Uint8Array(addressBytes(address) ?? []).toHex(), hex);
  });
}

for (
  const [hex, address] of [
    ["0a000002", "10.0.0.2"],
    ["fd000000000000000000000000000002", "fd00::2"],
    ["20010db8000000000001000000000001", "2001:db8::1:0:0:1"],
    ["00000000000000000000ffff0a000001", "::ffff:a00:1"],
    ["0a00000200", undefined],
  ] as const
) {
  Deno.test(`formatAddress writes ${hex} as ${address}`, () => {
    assert.equal(formatAddress(Uint8Array.fromHex(hex)), address);
  });
}

for (
  const [text, network] of [
    ["10.0.0.1/24", { address: "10.0.0.1", bits: 24, family: 4 }],
    ["0.0.0.0/0", { address: "0.0.0.0", bits: 0, family: 4 }],
    ["fd00::/128", { address: "fd00::", bits: 128, family: 6 }],
    ["10.0.0.1/33", undefined],
    ["fd00::/129", undefined],
    ["10.0.0.1/024", undefined],
    ["10.0.0.1", undefined],
    ["10.0.0.1/", undefined],
    ["fe80::1%eth0/64", undefined],
    ["[fd00::]/64", undefined],
  ] as const
) {
  Deno.test(`parseNetwork reads "${text}"`, () => {
    assert.deepEqual(parseNetwork(text), network);
  });
}

for (
  const [network, address, isIn] of [
    ["10.0.0.0/8", "10.9.8.7", true],
    ["10.0.0.0/9", "10.128.0.0", false],
    ["10.1.2.3/16", "10.1.255.255", true],
    ["0.0.0.0/0", "255.1.2.3", true],
    ["0.0.0.0/0", "::1", false],
    ["fd00::/12", "fd0f::1", true],
    ["fd00::/12", "fd1f::1", false],
    ["10.0.0.0/8", "node", false],
  ] as const
) {
  Deno.test(`contains says ${isIn} of ${address} in ${network}`, () => {
    assert.equal(contains(parseNetwork(network)!, address), isIn);
  });
}

Deno.test("overlap compares networks by the bits they share", () => {
  assert.ok(overlap("10.0.0.0/8", "10.9.0.0/16"));
  assert.ok(overlap("fd00::/16", "fd00:1::/32"));
  assert.ok(!overlap("10.0.0.0/16", "10.1.0.0/16"));
  assert.ok(!overlap("0.0.0.0/0", "::/0"));
  assert.equal(overlap("10.5.0.0/24", "10.0.0.0/8"), true);
  assert.equal(overlap("10.5.0.0/24", "10.5.1.0/24"), false);
  assert.equal(overlap("10.5.0.0/24", "fd00::/64"), false);
  assert.equal(overlap("10.5.0.0/24", "node"), false);
});

Deno.test("firstAddress leaves out the bits of the host", () => {
  const first = (text: string) => firstAddress(parseNetwork(text)!);
  assert.equal(first("10.5.0.240/24"), "10.5.0.0");
  assert.equal(first("10.5.255.240/12"), "10.0.0.0");
  assert.equal(first("fd00:1:2:3:4:5:6:7/64"), "fd00:1:2:3::");
});

Deno.test("IPv4 networks are ranges of numbers", () => {
  assert.deepEqual(ipv4Range("0.0.1.7/24"), { first: 256, last: 511 });
  for (
    const wrong of ["10.5.0.0", "10.5.0.0/33", "10.5.0.256/24", "fd00::/64"]
  ) {
    assert.equal(ipv4Range(wrong), undefined, wrong);
  }
  assert.equal(addressAt("10.5.0.250/16", 10), "10.5.1.4");
});

Deno.test("hostPort puts IPv6 addresses in brackets", () => {
  assert.equal(hostPort("10.0.0.1", 53), "10.0.0.1:53");
  assert.equal(hostPort("fd74::1", 53), "[fd74::1]:53");
});
