import assert from "node:assert/strict";
import { concatBytes } from "../../lib/bytes.ts";

Deno.test("concatBytes keeps the order", () => {
  const parts = [Uint8Array.of(2, 1), new Uint8Array(), Uint8Array.of(3)];
  assert.equal(concatBytes(parts).toHex(), "020103");
});
