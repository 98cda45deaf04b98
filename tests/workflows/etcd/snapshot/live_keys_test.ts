import assert from "node:assert/strict";
import { noKeys, tell } from "../../../../workflows/etcd/snapshot/live_keys.ts";
import { bytes, withBlocks } from "./_bolt.ts";

/** Counts after each change: `+a` writes the key a, `-a` deletes it. */
async function counts(...changes: readonly string[]) {
  return await withBlocks(bytes(changes.join("")), (file) => {
    const keys = noKeys();
    let next = 0;
    return changes.map((change) => {
      const key = { at: next + 1, end: next + change.length };
      next += change.length;
      tell(keys, file, key, change.startsWith("+"));
      return keys.count;
    });
  });
}

Deno.test("tell counts keys that exist", async () => {
  assert.deepEqual(
    await counts("+a", "+bcdefgh", "+a", "-a", "-a", "-x", "+bcdefg", "+a"),
    [1, 2, 2, 1, 1, 1, 2, 3],
  );
});

Deno.test("tell needs no more room for keys it knows", async () => {
  await withBlocks(bytes("a"), (file) => {
    const keys = noKeys();
    for (let i = 0; i < 10_000; i++) {
      tell(keys, file, { at: 0, end: 1 }, i % 2 === 0);
    }
    assert.deepEqual([keys.count, keys.used], [0, 1]);
    assert.equal(keys.slots.byteLength, noKeys().slots.byteLength);
  });
});

/** Keys of four bytes, all different. */
function fourBytes(count: number): Uint8Array {
  return new Uint8Array(
    Uint32Array.from({ length: count }, (_, i) => i).buffer,
  );
}

Deno.test("tell keeps count of many keys", async () => {
  const many = 20_000;
  await withBlocks(fourBytes(many), (file) => {
    const keys = noKeys();
    const key = (i: number) => ({ at: 4 * i, end: 4 * i + 4 });
    for (let i = 0; i < many; i++) tell(keys, file, key(i), true);
    assert.equal(keys.count, many);
    for (let i = 0; i < many; i += 2) tell(keys, file, key(i), false);
    for (let i = 0; i < many; i += 4) tell(keys, file, key(i), true);
    assert.equal(keys.count, 15_000);
  });
});

Deno.test("tell gives up where memory would not be bounded", async () => {
  const most = 3 * 2 ** 20;
  await withBlocks(fourBytes(most + 2), (file) => {
    const keys = noKeys();
    let next = 0;
    const more = () => tell(keys, file, { at: next, end: next += 4 }, true);
    while (next < 4 * most) more();
    assert.equal(keys.count, most);
    assert.equal(keys.slots.byteLength, 2 ** 25);
    more();
    assert.equal(keys.count, undefined);
    assert.equal(keys.slots.byteLength, 0);
    more();
    assert.equal(keys.count, undefined);
  });
});
