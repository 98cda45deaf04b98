import assert from "node:assert/strict";
import { createChanges } from "../../../simulator/state/etcd.ts";

Deno.test("waiting ends with the next change", async () => {
  const { notify, count, after } = createChanges();
  const { signal } = new AbortController();
  assert.equal(count(), 0);
  const seen: string[] = [];
  const waiting = [1, 2].map((who) =>
    after(0, signal).then(() => seen.push(`${who} after ${count()}`))
  );
  await Promise.resolve();
  assert.deepEqual(seen, []);
  notify();
  await Promise.all(waiting);
  assert.deepEqual(seen, ["1 after 1", "2 after 1"]);
});

Deno.test("a change that was before the wait counts", async () => {
  const { notify, count, after } = createChanges();
  const before = count();
  notify();
  await after(before, new AbortController().signal);
  assert.equal(count(), 1);
});

Deno.test("a wait ends without a change when its signal aborts, or has", async () => {
  const { count, after } = createChanges();
  const over = new AbortController();
  const wait = after(0, over.signal);
  over.abort();
  await wait;
  await after(0, over.signal);
  assert.equal(count(), 0);
});
