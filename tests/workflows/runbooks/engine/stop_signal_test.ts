import assert from "node:assert/strict";
import {
  ending,
  isEnding,
  stopped,
} from "../../../../workflows/runbooks/engine/stop_signal.ts";

/** A run that was asked to stop once, twice or not at all. */
function asked(times: 0 | 1 | 2) {
  const [soft, hard] = [new AbortController(), new AbortController()];
  if (times > 0) soft.abort();
  if (times > 1) hard.abort();
  return { stop: { soft: soft.signal, hard: hard.signal } };
}

const walking = { finishing: false, position: { carrying: false } };
const finishing = { ...walking, finishing: true };
const carrying = { ...walking, position: { carrying: true } };

Deno.test("a wish to stop ends waits, but not on the way to a safe point", () => {
  const once = asked(1);
  assert.equal(ending(once, walking), once.stop.soft);
  assert.equal(ending(once, finishing), once.stop.hard);
  assert.equal(ending(once, carrying), once.stop.hard);
  const frames = [walking, finishing, carrying];
  const ends = (times: 0 | 1 | 2) =>
    frames.map((frame) => isEnding(asked(times), frame));
  assert.deepEqual(ends(0), [false, false, false]);
  assert.deepEqual(ends(1), [true, false, false]);
  assert.deepEqual(ends(2), [true, true, true]);
});

Deno.test("a walk is stopped by the first wish, and interrupted by the second", () => {
  const first = stopped(asked(1), "before a/b");
  assert.deepEqual([first.why, first.message], ["stop", "stopped before a/b"]);
  const second = stopped(asked(2), "in a/b");
  assert.deepEqual([second.why, second.message], [
    "interrupted",
    "interrupted in a/b",
  ]);
});
