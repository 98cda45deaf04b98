import assert from "node:assert/strict";
import {
  noteUnknown,
  type Planner,
  runEach,
} from "../../../../workflows/runbooks/plan/planner.ts";

Deno.test("runEach keeps the order of the list, and does no more than a few at a time", async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  let now = 0;
  const all = runEach([1, 2, 3, 4, 5], 2, async (one) => {
    most = Math.max(most, ++now);
    await new Promise<void>((resolve) => waiting.push(resolve));
    now--;
    return one * 10;
  });
  for (let ended = 0; ended < 5; ended++) {
    // The last one that began ends first.
    waiting.pop()?.();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
  assert.deepEqual(await all, [10, 20, 30, 40, 50]);
  assert.equal(most, 2);
});

Deno.test("planner: a value decided at run time is noted once, with its dependencies", () => {
  const unknowns: Planner["unknowns"] = new Map();
  // Nothing else is checked.
  const planner = { unknowns } as Planner;
  const one = { path: "a", what: "when", expression: "x" };
  noteUnknown(planner, { ...one, needs: ["b"] });
  noteUnknown(planner, { ...one, needs: ["c", "b"] });
  noteUnknown(planner, { ...one, what: "with.x", needs: [] });
  assert.deepEqual([...unknowns.values()], [
    { ...one, needs: ["b", "c"] },
    { ...one, what: "with.x", needs: [] },
  ]);
});
