import assert from "node:assert/strict";
import { createChanges } from "../../../simulator/etcd/etcd.ts";

Deno.test("whoever waits is woken by the next change", async () => {
  const { tell, count, beyond } = createChanges();
  const { signal } = new AbortController();
  assert.equal(count(), 0);
  const seen: string[] = [];
  const waiting = [1, 2].map((who) =>
    beyond(0, signal).then(() => seen.push(`${who} after ${count()}`))
  );
  await Promise.resolve();
  assert.deepEqual(seen, []);
  tell();
  await Promise.all(waiting);
  assert.deepEqual(seen, ["1 after 1", "2 after 1"]);
});

Deno.test("a change that was before the wait counts", async () => {
  const { tell, count, beyond } = createChanges();
  const before = count();
  tell();
  await beyond(before, new AbortController().signal);
  assert.equal(count(), 1);
});

Deno.test("a wait ends without a change when its signal aborts, or has", async () => {
  const { count, beyond } = createChanges();
  const over = new AbortController();
  const wait = beyond(0, over.signal);
  over.abort();
  await wait;
  await beyond(0, over.signal);
  assert.equal(count(), 0);
});
