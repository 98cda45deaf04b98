import assert from "node:assert/strict";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import {
  checkEnd,
  skipUnknown,
} from "../../../transport/call/decode_checks.ts";
import * as machine from "../../../transport/gen/machine.ts";

function bytes(hex: string): Uint8Array {
  return Uint8Array.fromHex(hex.replaceAll(/\s/g, ""));
}

Deno.test("skipUnknown is behind the field it passed over", () => {
  const reader = new BinaryReader(Uint8Array.of(2, 0x61, 0x62, 9));
  skipUnknown(reader, 0x0a);
  assert.equal(reader.pos, 3);
});

Deno.test("skipUnknown refuses field number 0", () => {
  const reader = new BinaryReader(Uint8Array.of(1));
  assert.throws(() => skipUnknown(reader, 0), {
    message: "Cannot decode message: field number is 0",
  });
});

Deno.test("skipUnknown refuses a group that another group's end closes", () => {
  const reader = new BinaryReader(Uint8Array.of(0x14));
  assert.throws(() => skipUnknown(reader, 0x0b), Error);
});

Deno.test("checkEnd accepts only the promised position", () => {
  const reader = new BinaryReader(Uint8Array.of(1, 2));
  reader.pos = 2;
  checkEnd(reader, 2);
  assert.throws(() => checkEnd(reader, 1), {
    message: "Cannot decode message: ends at byte 1, its last field at 2",
  });
});

const malformed = {
  "a tag that is cut off": "80",
  "a tag without its value": "0a",
  "a length that is cut off": "0a ff",
  "a string longer than the input": "0a 05 6162",
  "a length of 4 GiB": "0a ffffffff0f 6162",
  "a nested message longer than the input": "22 05 0801",
  "a nested message that ends inside its field": "22 01 08 01",
  "a nested field longer than its message": "1a 04 0a02 0a05 6162636465",
  "field number 0": "00 00",
  "field number 0 after a good field": "0a 01 61  02 00",
  "the end of a group that never began": "0c",
  "wire type 6": "0e",
  "wire type 7": "0f",
  "a group without an end": "0b 08 01",
  "an unknown string longer than the input": "fa07 05 61",
  "an unknown 64-bit number that is cut off": "f907 00000000",
  "a number of eleven bytes": "22 0c 10 ffffffffffffffffffff01",
};

for (const [fault, hex] of Object.entries(malformed)) {
  Deno.test(`gen refuses ${fault}`, () => {
    assert.throws(() => machine.ServiceInfo.decode(bytes(hex)), Error);
  });
}

Deno.test("gen refuses every cut of a nested message", () => {
  const whole = bytes("0a 11 12 0f 0a04 65746364 1207 52756e6e696e67");
  assert.equal(
    machine.ServiceListResponse.decode(whole).messages[0]?.services[0]?.state,
    "Running",
  );
  for (let length = 1; length < whole.length; length++) {
    const cut = whole.subarray(0, length);
    assert.throws(() => machine.ServiceListResponse.decode(cut), RangeError);
  }
});

Deno.test("gen refuses a packed list that goes beyond its length", () => {
  assert.throws(
    () => machine.SystemStat.decode(bytes("32 01 ac02 08 01")),
    RangeError,
  );
});

Deno.test("gen refuses groups nested deeper than any message is", () => {
  const groups = new Uint8Array(100_000).fill(0x0b);
  assert.throws(() => machine.ServiceInfo.decode(groups), /recursion/);
});
