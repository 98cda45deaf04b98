import assert from "node:assert/strict";
import { crc32c } from "../../../../workflows/etcd/snapshot/crc32c.ts";
import { bytes } from "./_bolt.ts";

function sumOf(text: string): string {
  const { buffer } = bytes(text);
  return crc32c(new DataView(buffer), 0, text.length, 0).toString(16);
}

Deno.test("crc32c gives the sums of RFC 3720", () => {
  assert.equal(sumOf("\0".repeat(32)), "8a9136aa");
  assert.equal(sumOf("\xff".repeat(32)), "62a8ab43");
  assert.equal(sumOf("123456789"), "e3069283");
  assert.equal(sumOf(""), "0");
});

Deno.test("crc32c goes on where it stopped", () => {
  const view = new DataView(bytes("__123456789__").buffer);
  for (let cut = 2; cut <= 11; cut++) {
    const first = crc32c(view, 2, cut, 0);
    assert.equal(crc32c(view, cut, 11, first), 0xe3069283);
  }
});
