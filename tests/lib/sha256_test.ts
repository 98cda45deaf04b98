import assert from "node:assert/strict";
import { sha256Hex } from "../../lib/sha256.ts";

// FIPS 180-2, appendix B.1.
const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

Deno.test("sha256Hex hashes texts and parts of buffers", async () => {
  assert.equal(await sha256Hex("abc"), abc);
  const bytes = new TextEncoder().encode("-abc-").subarray(1, 4);
  assert.equal(await sha256Hex(bytes), abc);
});
