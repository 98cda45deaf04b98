import assert from "node:assert/strict";
import type { LeaseState } from "../../../../workflows/runbooks/lock/lease.ts";
import { watchHolder } from "../../../../workflows/runbooks/lock/watch_holder.ts";

const held: LeaseState = {
  holder: "a @ a@desk # 1 noon word",
  renewedAt: 0,
  durationMs: 8_000,
  claim: "a",
  claimedBy: "a@desk",
  journals: new Map(),
  version: "1",
};

/** Watches a Lease that is read as these. */
function watch(reads: readonly (LeaseState | undefined)[]) {
  const left = [...reads];
  const notes: string[] = [];
  const free = watchHolder(held, {
    read: () => Promise.resolve(left.shift()),
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    run: "b",
    note: (text) => notes.push(text),
  });
  return { free, left, notes };
}

Deno.test("a holder that renews nothing is waited for as long as its lock lasts", async () => {
  const { free, left, notes } = watch(Array(4).fill(held));
  assert.equal(await free, false);
  assert.deepEqual(left, []);
  assert.deepEqual(notes, [
    "Waiting up to 8 s for the lock of a process that was killed: a @ a@desk, process 1 since noon",
  ]);
});

Deno.test("a lock that is released or removed is free at once", async () => {
  const released = { ...held, holder: "", version: "2" };
  assert.equal(await watch([held, released]).free, true);
  assert.equal(await watch([undefined]).free, true);
});

Deno.test("a holder that renews its lock has it", async () => {
  const renewed = { ...held, version: "2" };
  await assert.rejects(watch([held, renewed]).free, {
    name: "LockedError",
    message:
      "Another run has locked the cluster: a @ a@desk, process 1 since noon",
  });
});
