import assert from "node:assert/strict";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { checkEnd, skipUnknown } from "../../transport/decode_checks.ts";

Deno.test("skipUnknown stands behind the field it passed over", () => {
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
