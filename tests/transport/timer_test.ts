import assert from "node:assert/strict";
import { after, breather } from "../../transport/timer.ts";

Deno.test("after runs once, unless it is forgotten", async () => {
  const ran: string[] = [];
  const forget = after(1, () => ran.push("forgotten"));
  forget();
  forget();
  await new Promise<void>((resolve) => {
    // It keeps no process alive by itself.
    const alive = setTimeout(() => {}, 10_000);
    after(5, () => {
      ran.push("run");
      clearTimeout(alive);
      resolve();
    });
  });
  assert.deepEqual(ran, ["run"]);
});

Deno.test("after takes any time", () => {
  after(Number.MAX_SAFE_INTEGER, () => {})();
});

Deno.test("breather lets timers and signals through when much was computed, and no sooner", async () => {
  const stop = new AbortController();
  const breathe = breather(stop.signal);
  assert.equal(breathe(), undefined);
  assert.equal(breathe(), undefined);
  const began = performance.now();
  let sum = 0;
  while (performance.now() - began < 60) sum++;
  assert.ok(sum > 0);
  const due = Promise.withResolvers<string>();
  const timer = setTimeout(() => due.resolve("due"), 0);
  const pause = breathe();
  assert.ok(pause !== undefined);
  stop.abort(new RangeError("interrupted"));
  await assert.rejects(pause, /interrupted/);
  assert.equal(await due.promise, "due");
  clearTimeout(timer);
});
