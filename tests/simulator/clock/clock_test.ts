import assert from "node:assert/strict";
import { systemClock } from "../../../simulator/clock/clock.ts";

Deno.test("a wait ends when it is over, or when it is called off", async () => {
  const start = performance.now();
  await systemClock.sleep(20);
  assert.ok(performance.now() - start >= 15);
  const stop = new AbortController();
  const wait = systemClock.sleep(60_000, stop.signal);
  stop.abort();
  await wait;
  await systemClock.sleep(60_000, stop.signal);
  assert.ok(performance.now() - start < 10_000);
});
