import assert from "node:assert/strict";
import { watchSuspension } from "../../../../workflows/runbooks/lock/suspension.ts";
import { manualClock } from "../../../simulator/_clock.ts";

/** A watch, and a time at which the process can be stopped. */
function watch() {
  const ended = new AbortController();
  const clock = manualClock();
  let skippedMs = 0;
  const suspension = watchSuspension(
    { now: () => clock.now() + skippedMs, sleep: clock.sleep },
    60_000,
    ended.signal,
  );
  return {
    suspension,
    pass: clock.advance,
    stop: (ms: number) => void (skippedMs += ms),
    [Symbol.dispose]: () => ended.abort(),
  };
}

Deno.test("a process that runs is not suspended, however long nothing asks", async () => {
  using watched = watch();
  const { suspension, pass } = watched;
  suspension.start();
  for (let beat = 0; beat < 40; beat++) await pass(15_000);
  assert.equal(suspension.suspendedMs(), 0);
});

Deno.test("a process that was stopped for too long knows it until that is forgotten", async () => {
  using watched = watch();
  const { suspension, pass, stop } = watched;
  suspension.start();
  await pass(15_000);
  stop(50_000);
  assert.equal(suspension.suspendedMs(), 0);
  stop(61_000);
  assert.equal(suspension.suspendedMs(), 61_000);
  await pass(15_000);
  assert.equal(suspension.suspendedMs(), 61_000);
  suspension.reset();
  assert.equal(suspension.suspendedMs(), 0);
});

Deno.test("before it has started a process is never suspended", () => {
  using watched = watch();
  watched.stop(3_600_000);
  assert.equal(watched.suspension.suspendedMs(), 0);
});
