import assert from "node:assert/strict";
import { virtualClock } from "../../../simulator/clock/virtual_clock.ts";

const hour = 3_600_000;

Deno.test("a wait that is aborted ends at once, and no time goes by", async () => {
  const clock = virtualClock({ start: 0 });
  await clock.run(async () => {
    const controller = new AbortController();
    const waits = clock.sleep(hour, controller.signal);
    controller.abort();
    await waits;
    await clock.sleep(hour, controller.signal);
    assert.equal(clock.now(), 0);
    await clock.sleep(2 * hour);
    assert.equal(clock.now(), 2 * hour);
  });
});

Deno.test("a wait of no time is over in the next turn", async () => {
  const clock = virtualClock({ start: 5 });
  await clock.sleep(0);
  assert.equal(clock.now(), 5);
});

Deno.test("time does not continue while something is held", async () => {
  const clock = virtualClock({ start: 0 });
  await clock.run(async () => {
    const late = clock.sleep(hour).then(() => "late");
    const real = clock.hold(
      new Promise((resolve) => setTimeout(() => resolve("real"), 5)),
    );
    assert.equal(await Promise.race([late, real]), "real");
    assert.equal(clock.now(), 0);
  });
});

Deno.test("several runs share the time", async () => {
  const clock = virtualClock({ start: 0 });
  await Promise.all([clock.pass(10), clock.pass(20)]);
  assert.equal(clock.now(), 20);
});

Deno.test("a listener is called before every jump", async () => {
  let quiets = 0;
  const clock = virtualClock({ start: 0, onQuiet: () => quiets++ });
  await clock.run(async () => {
    await clock.sleep(1);
    await clock.sleep(1);
    // Nothing of this is virtual.
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  assert.ok(quiets >= 2);
});

Deno.test("a limit is reached when nothing happens, and not while slow work is done", async () => {
  const clock = virtualClock({ start: 0, patienceMs: 200 });
  const over = new AbortController();
  const work = async () => {
    // Real time, as files take for which no clock is held.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await clock.sleep(10);
    return clock.now();
  };
  const late = clock.limit(hour, over.signal).then(() => clock.now());
  assert.equal(await clock.run(() => Promise.race([work(), late])), 10);
  over.abort();
  await late;
  const hasty = virtualClock({ start: 0, patienceMs: 1 });
  await hasty.run(() => hasty.limit(hour));
  assert.equal(hasty.now(), hour);
});
