import assert from "node:assert/strict";
import {
  checkFilter,
  runFilter,
} from "../../../simulator/node/packet_filter.ts";

const packet = Uint8Array.of(0x45, 2, 3, 4, 5);
const one = (op: number, k = 0, jt = 0, jf = 0) => ({ op, jt, jf, k });
const [retK, retA] = [0x06, 0x16];

for (
  const [name, program, result] of [
    ["an empty one takes everything", [], 5],
    ["a number is a length", [one(retK, 3)], 3],
    ["bytes, halves and words are loaded", [
      one(0x30, 1),
      one(0x07),
      one(0x28, 1),
      one(0x1c),
      one(0x54, 7),
      one(retA),
    ], 1],
    ["nothing is loaded from behind the end", [one(0x20, 2), one(retK, 9)], 0],
    ["the length of a header of IP", [one(0xb1, 0), one(0x87), one(retA)], 5],
    ["an index is added", [one(0x01, 2), one(0x50, 1), one(retA)], 4],
    ["memory is kept", [
      one(0x00, 2),
      one(0x02, 3),
      one(0x00, 4),
      one(0x60, 3),
      one(retA),
    ], 2],
    ["comparisons jump", [
      one(0x00, 6),
      one(0x15, 6, 0, 3),
      one(0x25, 5, 0, 2),
      one(0x35, 7, 1, 0),
      one(0x45, 2, 1, 0),
      one(retK, 0),
      one(retK, 4),
    ], 4],
    ["a jump always jumps", [one(0x05, 1), one(retK, 1), one(retK, 2)], 2],
    ["no division by zero", [one(0x34, 0), one(retK, 5)], 0],
    ["arithmetic", [
      one(0x00, 40),
      one(0x04, 2),
      one(0x14, 6),
      one(0x34, 9),
      one(0x24, 3),
      one(0x94, 8),
      one(0x44, 3),
      one(0xa4, 4),
      one(0x74, 1),
      one(0x64, 1),
      one(retA),
    ], 2],
  ] as const
) {
  Deno.test(`a program of the packet filter: ${name}`, () => {
    checkFilter(program);
    assert.equal(runFilter(program, packet), result);
  });
}
