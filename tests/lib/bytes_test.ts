import assert from "node:assert/strict";
import { collectBytes, concatBytes } from "../../lib/bytes.ts";

Deno.test("concatBytes keeps the order", () => {
  const parts = [Uint8Array.of(2, 1), new Uint8Array(), Uint8Array.of(3)];
  assert.equal(concatBytes(parts).toHex(), "020103");
});

Deno.test("collectBytes reads a stream to its end, up to a number of bytes", async () => {
  const stream = () =>
    ReadableStream.from([Uint8Array.of(1), Uint8Array.of(2, 3)]);
  assert.equal((await collectBytes(stream(), 3))?.toHex(), "010203");
  assert.equal(await collectBytes(stream(), 2), undefined);
});
