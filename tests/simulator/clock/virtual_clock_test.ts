import assert from "node:assert/strict";
import { virtualClock } from "../../../simulator/clock/virtual_clock.ts";

const hour = 3_600_000;

Deno.test("time jumps to whatever is due next, in order", async () => {
  const clock = virtualClock();
  const start = clock.now();
  const seen: string[] = [];
  async function report(name: string, ms: number): Promise<void> {
    await clock.sleep(ms);
    seen.push(`${name} ${(clock.now() - start) / hour}`);
  }
  await clock.run(async () => {
    await Promise.all([
      report("late", 3 * hour),
      report("soon", hour),
      report("as soon", hour),
      report("soon", hour).then(() => report("then", hour)),
    ]);
  });
  assert.deepEqual(seen, [
    "soon 1",
    "as soon 1",
    "soon 1",
    "then 2",
    "late 3",
  ]);
  assert.equal(clock.now(), start + 3 * hour);
});

Deno.test("time stands still while nothing runs", async () => {
  const clock = virtualClock({ start: 1_000 });
  let isAwake = false;
  const waits = clock.sleep(10).then(() => isAwake = true);
  await clock.quiet();
  assert.deepEqual([clock.now(), isAwake], [1_000, false]);
  await clock.pass(9);
  assert.deepEqual([clock.now(), isAwake], [1_009, false]);
  await clock.pass(1);
  await waits;
  assert.equal(clock.now(), 1_010);
});

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

Deno.test("what fails ends the run, and the next one continues", async () => {
  const clock = virtualClock({ start: 0 });
  await assert.rejects(
    clock.run(async () => {
      await clock.sleep(1);
      throw new Error("broken");
    }),
    { message: "broken" },
  );
  await clock.pass(1);
  assert.equal(clock.now(), 2);
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
