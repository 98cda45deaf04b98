import assert from "node:assert/strict";
import {
  nodeBudget,
  nodesOf,
} from "../../../workflows/operations/node_budget.ts";

const never = new AbortController().signal;

/** Whether a promise has come to its end by now. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  let over = false;
  promise.then(() => over = true);
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  return over;
}

Deno.test("no more nodes than the budget has are away at once", async () => {
  const budget = nodeBudget(2);
  assert.equal(await budget.enter(never), undefined);
  assert.equal(await budget.enter(never), undefined);
  const third = budget.enter(never);
  const fourth = budget.enter(never);
  assert.equal(await isOver(third), false);
  budget.leave(true);
  assert.equal(await third, undefined);
  assert.equal(await isOver(fourth), false);
  budget.leave(true);
  assert.equal(await fourth, undefined);
});

Deno.test("a node that is not well again counts as away, and none is begun when all of the budget is", async () => {
  const budget = nodeBudget(2);
  await budget.enter(never);
  await budget.enter(never);
  const third = budget.enter(never);
  budget.leave(false);
  assert.equal(await isOver(third), false);
  budget.leave(false);
  assert.deepEqual(await third, {
    outcome: "refused",
    reason:
      "2 nodes failed or did not come back, and --max-unavailable is 2; nothing was sent",
  });
  const one = nodeBudget(1);
  await one.enter(never);
  one.leave(false);
  assert.deepEqual(await one.enter(never), {
    outcome: "refused",
    reason:
      "1 node failed or did not come back, and --max-unavailable is 1; nothing was sent",
  });
});

Deno.test("who waits when the time is up is told so", async () => {
  const budget = nodeBudget(1);
  const late = new AbortController();
  await budget.enter(late.signal);
  const second = budget.enter(late.signal);
  late.abort();
  assert.deepEqual(await second, {
    outcome: "timed-out",
    reason: "the time was up before its turn came; nothing was sent",
  });
});

Deno.test("a share of nodes is rounded down, to no less than one", () => {
  assert.deepEqual(
    ["3", "50%", "25%", "1%", "100%"].map((text) => nodesOf(text, 5)),
    [3, 2, 1, 1, 5],
  );
});
