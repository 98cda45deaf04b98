import assert from "node:assert/strict";
import { crc32c } from "../../lib/crc32c.ts";
import { bytes } from "../workflows/etcd/snapshot/_bolt.ts";

function checksum(text: string): string {
  return crc32c(bytes(text)).toString(16);
}

Deno.test("crc32c gives the sums of RFC 3720", () => {
  assert.equal(checksum("\0".repeat(32)), "8a9136aa");
  assert.equal(checksum("\xff".repeat(32)), "62a8ab43");
  assert.equal(checksum("123456789"), "e3069283");
  assert.equal(checksum(""), "0");
});
