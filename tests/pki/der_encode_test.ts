import assert from "node:assert/strict";
import fc from "fast-check";
import { readDer } from "../../pki/der.ts";
import {
  encodeDer,
  encodeOid,
  encodeSet,
  encodeTime,
  encodeUnsigned,
} from "../../pki/der_encode.ts";
import { readOid, readTime, readUnsigned } from "../../pki/der_values.ts";

for (
  const [length, head] of [
    [127, "047f"],
    [128, "048180"],
    [256, "04820100"],
    [65536, "0483010000"],
  ] as const
) {
  Deno.test(`encodeDer writes the length ${length} in its shortest form`, () => {
    const bytes = encodeDer(0x04, new Uint8Array(length));
    assert.equal(bytes.subarray(0, head.length / 2).toHex(), head);
  });
}

Deno.test("encodeSet sorts its parts by their bytes", () => {
  const parts = ["0c02616b", "0c0162", "0c0161", "0c026161", "0c0162"];
  const set = encodeSet(parts.map((part) => Uint8Array.fromHex(part)));
  assert.equal(
    set.toHex(),
    "3111" + "0c0161" + "0c0162" + "0c0162" + "0c026161" + "0c02616b",
  );
});

Deno.test("encodeOid writes what readOid reads", () => {
  const arc = fc.nat(2 ** 30);
  const oid = fc.tuple(fc.nat(2), fc.nat(39), fc.array(arc, { maxLength: 6 }))
    .map(([root, second, rest]) => [root, second, ...rest].join("."));
  fc.assert(fc.property(oid, (text) => {
    assert.equal(readOid(readDer(encodeOid(text), "x")), text);
  }));
});

Deno.test("encodeUnsigned writes the shortest form, never a negative number", () => {
  for (
    const [magnitude, der] of [
      ["00", "020100"],
      ["0000", "020100"],
      ["7f", "02017f"],
      ["80", "02020080"],
      ["0001ff", "020201ff"],
      ["ff00", "020300ff00"],
    ] as const
  ) {
    const bytes = encodeUnsigned(Uint8Array.fromHex(magnitude));
    assert.equal(bytes.toHex(), der);
    assert.ok(readUnsigned(readDer(bytes, "x")).length > 0);
  }
});

Deno.test("encodeTime has two digits of the year until 2049, then four", () => {
  for (
    const [time, tag, text] of [
      ["1950-01-01T00:00:00.000Z", 0x17, "500101000000Z"],
      ["2049-12-31T23:59:59.999Z", 0x17, "491231235959Z"],
      ["2050-01-01T00:00:00.000Z", 0x18, "20500101000000Z"],
    ] as const
  ) {
    const der = readDer(encodeTime(new Date(time)), "time");
    assert.equal(der.tag, tag);
    assert.equal(new TextDecoder().decode(der.content), text);
    assert.equal(readTime(der).toISOString(), `${time.slice(0, 19)}.000Z`);
  }
});
