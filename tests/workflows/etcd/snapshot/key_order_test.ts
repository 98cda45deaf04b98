import assert from "node:assert/strict";
import {
  follows,
  startOrder,
} from "../../../../workflows/etcd/snapshot/key_order.ts";
import { bytes, withBlocks } from "./_bolt.ts";

/** Tells for each key whether it may follow; keys of branch pages have a slash at their end. */
async function orderOf(...keys: readonly string[]): Promise<boolean[]> {
  return await withBlocks(bytes(keys.join("")), (file) => {
    const order = startOrder();
    let next = 0;
    return keys.map((key) => {
      const branch = key.endsWith("/");
      const extent = { at: next, end: next + key.length - Number(branch) };
      next += key.length;
      return follows(order, file, extent, branch);
    });
  });
}

Deno.test("follows takes ascending keys", async () => {
  assert.deepEqual(
    await orderOf("a", "ab", "abc", "abd", "b", "ba", "\x7f", "\x80", "\xff"),
    Array(9).fill(true),
  );
});

Deno.test("follows refuses keys that should come earlier", async () => {
  assert.deepEqual(await orderOf("b", "a"), [true, false]);
  assert.deepEqual(await orderOf("b", "b"), [true, false]);
  assert.deepEqual(await orderOf("bc", "b"), [true, false]);
  assert.deepEqual(await orderOf("\x80", "\x7f"), [true, false]);
  assert.deepEqual(await orderOf("abc", "abd", "abb"), [true, true, false]);
});

Deno.test("follows lets the first key below a branch be the branch's", async () => {
  assert.deepEqual(
    await orderOf("b/", "b", "c", "d/", "da/", "da", "e"),
    Array(7).fill(true),
  );
  assert.deepEqual(await orderOf("b/", "a"), [true, false]);
  assert.deepEqual(await orderOf("b/", "b", "b/"), [true, true, false]);
});
