import assert from "node:assert/strict";
import { aborted, systemClock } from "../../../simulator/clock/clock.ts";

Deno.test("a wait ends when it is over, or when it is called off", async () => {
  const start = performance.now();
  await systemClock.sleep(20);
  assert.ok(performance.now() - start >= 15);
  const stop = new AbortController();
  const wait = systemClock.sleep(3_600_000, stop.signal);
  stop.abort();
  await wait;
  await systemClock.sleep(3_600_000, stop.signal);
});

Deno.test("the wait ends when the signal aborts, not before", async () => {
  const end = new AbortController();
  let isOver = false;
  const wait = aborted(end.signal).then(() => isOver = true);
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(isOver, false);
  end.abort();
  await wait;
});

Deno.test("a signal that has aborted is not waited for", async () => {
  assert.equal(await aborted(AbortSignal.abort()), undefined);
});
