import assert from "node:assert/strict";
import { virtualClock } from "../../../simulator/clock/virtual_clock.ts";
import { realWork } from "../../../workflows/rehearsal/pending_work.ts";

function real(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

Deno.test("time stands still for real work, and continues while it waits for the world", async () => {
  const clock = virtualClock();
  const work = realWork(clock);
  const startedAt = clock.now();
  await clock.run(async () => {
    const other = clock.sleep(1_000);
    await work.during(async () => {
      await real();
      assert.equal(clock.now(), startedAt);
      await work.outside(() => clock.sleep(500));
      assert.equal(clock.now(), startedAt + 500);
      await real();
      assert.equal(clock.now(), startedAt + 500);
    });
    await other;
  });
  assert.equal(clock.now(), startedAt + 1_000);
});

Deno.test("several waits of one piece of work end one after the other", async () => {
  const clock = virtualClock();
  const work = realWork(clock);
  const startedAt = clock.now();
  await clock.run(() =>
    work.during(async () => {
      await Promise.all([
        work.outside(() => clock.sleep(100)),
        work.outside(() => clock.sleep(300)),
      ]);
      await real();
      assert.equal(clock.now(), startedAt + 300);
    })
  );
});

Deno.test("a failure lets time continue, and waits outside of any work are as they are", async () => {
  const clock = virtualClock();
  const work = realWork(clock);
  await clock.run(async () => {
    await assert.rejects(
      work.during(() => Promise.reject(new Error("broken"))),
      /broken/,
    );
    await work.outside(() => clock.sleep(100));
    await clock.sleep(100);
  });
});

Deno.test("work that is abandoned does not keep time from continuing", async () => {
  const clock = virtualClock();
  const work = realWork(clock);
  await clock.run(async () => {
    work.during(() => new Promise(() => {}));
    work.abandon();
    await clock.sleep(100);
    // Nor does what begins later.
    work.during(() => new Promise(() => {}));
    await clock.sleep(100);
  });
});

Deno.test("pending work: waits for work, not for waits", async () => {
  const clock = virtualClock();
  const work = realWork(clock);
  await work.settled();
  let done = 0;
  const first = work.during(real).then(() => done++);
  work.during(() => work.outside(() => new Promise(() => {})));
  await work.settled();
  await first;
  assert.equal(done, 1);
  // What never ends is not waited for.
  work.during(() => new Promise(() => {}));
  await work.settled();
});
