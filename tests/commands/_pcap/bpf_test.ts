import assert from "node:assert/strict";
import { UsageError } from "../../../errors.ts";
import { runFilter } from "../../../simulator/node/packet_filter.ts";
import { parseBpf, withoutNodeApi } from "../../../commands/_pcap/bpf.ts";

const arp = `{ 0x28, 0, 0, 0x0000000c },
{ 0x15, 0, 1, 0x00000806 },

{ 0x6, 0, 0, 0x00040000 },
{ 0x6, 0, 0, 0x00000000 },
`;

Deno.test("parseBpf: names an invalid instruction", () => {
  for (
    const line of [
      "tcp port 80",
      "{ 0x28, 0, 0 },",
      "{ 0x15, 256, 0, 1 },",
      "{ 70000, 0, 0, 1 },",
      "{ 1, 0, 0, 4294967296 },",
    ]
  ) {
    assert.throws(() => parseBpf(`${arp}${line}`), (error) => {
      assert.ok(error instanceof UsageError);
      assert.ok(error.message.startsWith(`"${line}" in --bpf-filter is not `));
      return true;
    });
  }
  assert.throws(() => parseBpf("\n"), UsageError);
  assert.throws(() => parseBpf("{ 6, 0, 0, 0 },\n".repeat(4097)), UsageError);
});

const tcp4 = (from: string, to: string, fragment = "0000", options = "") =>
  `4${
    (5 + options.length / 8).toString(16)
  }000028000${"1"}${fragment}4006000001020304${"05060708"}${options}${from}${to}0000000000000000`;
const tcp6 = (from: string, to: string) =>
  `6000000000140640${"0".repeat(64)}${from}${to}0000000000000000`;
const [api, other] = ["c350", "192b"];

for (
  const [name, type, packet, passes] of [
    ["from the node API", "0800", tcp4(api, other), false],
    ["to the node API", "0800", tcp4(other, api), false],
    ["with options", "0800", tcp4(api, other, "0000", "01010101"), false],
    ["of another port", "0800", tcp4(other, other), true],
    ["that is a later fragment", "0800", tcp4(api, other, "0010"), true],
    ["of UDP", "0800", tcp4(api, api).replace("4006", "4011"), true],
    ["from the node API over IPv6", "86dd", tcp6(api, other), false],
    ["to the node API over IPv6", "86dd", tcp6(other, api), false],
    ["of another port over IPv6", "86dd", tcp6(other, other), true],
    ["that is no IP", "0806", "00".repeat(28), true],
  ] as const
) {
  Deno.test(`a packet ${name} ${passes ? "passes" : "is dropped"}`, () => {
    const frame = Uint8Array.fromHex(`${"00".repeat(12)}${type}${packet}`);
    assert.equal(runFilter(withoutNodeApi("ethernet"), frame) > 0, passes);
    if (type === "0806") return;
    const raw = Uint8Array.fromHex(packet);
    assert.equal(runFilter(withoutNodeApi("raw"), raw) > 0, passes);
  });
}

Deno.test("a program decides about what is not of the node API", () => {
  const program = withoutNodeApi("ethernet", parseBpf(arp));
  const frame = (type: string, packet: string) =>
    Uint8Array.fromHex(`${"00".repeat(12)}${type}${packet}`);
  assert.equal(runFilter(program, frame("0806", "00".repeat(28))), 42);
  assert.equal(runFilter(program, frame("0800", tcp4(other, other))), 0);
  assert.equal(runFilter(program, frame("0800", tcp4(api, other))), 0);
});
