import assert from "node:assert/strict";
import fc from "fast-check";
import { blocks } from "../../../workflows/archive/blocks.ts";
import { join } from "./_tar.ts";

async function* of(chunks: readonly Uint8Array[]) {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield chunk;
  }
}

Deno.test("blocks joins and cuts chunks", async () => {
  const chunks = [[1], [2, 3], [4, 5, 6, 7, 8, 9, 10], [11]].map((bytes) =>
    new Uint8Array(bytes)
  );
  const made = await Array.fromAsync(blocks(of(chunks), 4));
  assert.deepEqual(made.map((block) => [...block]), [
    [1, 2, 3, 4],
    [5, 6, 7, 8],
    [9, 10, 11],
  ]);
});

Deno.test("blocks passes chunks that fit on without a copy", async () => {
  const chunk = new Uint8Array(4);
  const made = await Array.fromAsync(blocks(of([chunk]), 4));
  assert.equal(made[0]?.buffer, chunk.buffer);
});

Deno.test("blocks loses and adds nothing", async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 20 }));
  const sizes = fc.integer({ min: 1, max: 16 });
  await fc.assert(fc.asyncProperty(chunks, sizes, async (chunks, size) => {
    const made = await Array.fromAsync(blocks(of(chunks), size));
    assert.deepEqual(join(made), join(chunks));
    assert.ok(made.slice(0, -1).every((block) => block.length === size));
  }));
});
