import assert from "node:assert/strict";
import { pause } from "../../lib/pause.ts";

Deno.test("pause takes as long as asked", async () => {
  const began = performance.now();
  await pause(30);
  assert.ok(performance.now() - began >= 28);
  await pause(-1);
});

Deno.test("pause ends when it is asked to, and leaves no timer behind", async () => {
  const stop = new AbortController();
  const waiting = pause(3_600_000, stop.signal);
  stop.abort();
  await waiting;
  await pause(3_600_000, stop.signal);
});
