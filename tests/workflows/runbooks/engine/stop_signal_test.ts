import assert from "node:assert/strict";
import {
  isStopping,
  stopHalt,
  stopSignal,
  timeLimit,
} from "../../../../workflows/runbooks/engine/stop_signal.ts";

/** A run that was asked to stop once, twice or not at all. */
function ask(times: 0 | 1 | 2) {
  const [soft, hard] = [new AbortController(), new AbortController()];
  if (times > 0) soft.abort();
  if (times > 1) hard.abort();
  return { stop: { soft: soft.signal, hard: hard.signal } };
}

const walking = { finishing: false, stopPoint: { isSafe: true } };
const finishing = { ...walking, finishing: true };
const unsafe = { ...walking, stopPoint: { isSafe: false } };

Deno.test("a wish to stop ends waits, but not on the way to a safe point", () => {
  const once = ask(1);
  assert.equal(stopSignal(once, walking), once.stop.soft);
  assert.equal(stopSignal(once, finishing), once.stop.hard);
  assert.equal(stopSignal(once, unsafe), once.stop.hard);
  const frames = [walking, finishing, unsafe];
  const ends = (times: 0 | 1 | 2) =>
    frames.map((frame) => isStopping(ask(times), frame));
  assert.deepEqual(ends(0), [false, false, false]);
  assert.deepEqual(ends(1), [true, false, false]);
  assert.deepEqual(ends(2), [true, true, true]);
});

Deno.test("a walk is stopped by the first wish, and interrupted by the second", () => {
  const first = stopHalt(ask(1), "before a/b");
  assert.deepEqual([first.why, first.message], ["stop", "stopped before a/b"]);
  const second = stopHalt(ask(2), "in a/b");
  assert.deepEqual([second.why, second.message], [
    "interrupted",
    "interrupted in a/b",
  ]);
});

Deno.test("a time limit aborts when it is over, and not after it was disposed of", async () => {
  const asleep: PromiseWithResolvers<void>[] = [];
  const clock = {
    now: () => 0,
    sleep() {
      const one = Promise.withResolvers<void>();
      asleep.push(one);
      return one.promise;
    },
  };
  const late = timeLimit(clock, 5);
  const disposed = timeLimit(clock, 5);
  const none = timeLimit(clock, undefined);
  disposed[Symbol.dispose]();
  for (const { resolve } of asleep) resolve();
  await Promise.all(asleep.map(({ promise }) => promise));
  assert.equal(late.signal.reason?.name, "TimeoutError");
  assert.deepEqual([disposed, none].map(({ signal }) => signal.aborted), [
    false,
    false,
  ]);
});
