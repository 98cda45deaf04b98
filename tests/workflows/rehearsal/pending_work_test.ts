import assert from "node:assert/strict";
import { virtualClock } from "../../../simulator/clock/virtual_clock.ts";
import { realWork } from "../../../workflows/rehearsal/pending_work.ts";

function real(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

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
  // Endless work is not awaited.
  work.during(() => new Promise(() => {}));
  await work.settled();
});
