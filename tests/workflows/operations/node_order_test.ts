import assert from "node:assert/strict";
import { ConnectError } from "../../../errors.ts";
import type { Member } from "../../../transport/node/members.ts";
import {
  barrier,
  lastEndpointNode,
  nodeBudget,
  parseNodes,
} from "../../../workflows/operations/node_order.ts";

const members: readonly Member[] = [
  { address: "10.0.0.1", hostname: "cp-1", controlPlane: true },
  { address: "10.0.0.2", hostname: "cp-2", controlPlane: true },
  { address: "10.0.0.9", hostname: "worker", controlPlane: false },
];

function last(names: readonly string[], ...endpoints: readonly string[]) {
  return lastEndpointNode({
    names,
    endpoints,
    members: () => Promise.resolve(members),
  });
}

Deno.test("the only endpoint comes last, however it is written", async () => {
  assert.equal(await last(["10.0.0.1", "10.0.0.9"], "10.0.0.1"), "10.0.0.1");
  assert.equal(await last(["cp-1", "10.0.0.9"], "10.0.0.1:50000"), "cp-1");
  assert.equal(await last(["10.0.0.1", "worker"], "cp-1"), "10.0.0.1");
});

Deno.test("of several endpoints that are all selected the last one comes last", async () => {
  const names = ["10.0.0.1", "10.0.0.2", "10.0.0.9"];
  assert.equal(await last(names, "10.0.0.1", "10.0.0.2"), "10.0.0.2");
});

Deno.test("while an endpoint stays, or no other node is selected, there is no order", async () => {
  const names = ["10.0.0.1", "10.0.0.9"];
  assert.equal(await last(names, "10.0.0.1", "10.0.0.2"), undefined);
  assert.equal(await last(names, "lb.example.org"), undefined);
  assert.equal(await last(["10.0.0.1"], "10.0.0.1"), undefined);
  assert.equal(await last(names), undefined);
});

Deno.test("a cluster that does not answer has no order", async () => {
  const found = await lastEndpointNode({
    names: ["cp-1", "worker"],
    endpoints: ["10.0.0.1"],
    members: () => Promise.reject(new ConnectError("refused", "gone")),
  });
  assert.equal(found, undefined);
});

Deno.test("a barrier opens when all have passed, or the time is up", async () => {
  const two = barrier(2);
  let isOpen = false;
  const waiting = two.wait(new AbortController().signal)
    .then(() => isOpen = true);
  two.pass();
  await Promise.resolve();
  assert.equal(isOpen, false);
  two.pass();
  await waiting;
  const stop = new AbortController();
  const stopped = barrier(1).wait(stop.signal);
  stop.abort();
  await stopped;
});

const never = new AbortController().signal;

async function isOver(promise: Promise<unknown>): Promise<boolean> {
  let over = false;
  promise.then(() => over = true);
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  return over;
}

Deno.test("no more nodes than the budget has are unavailable at once", async () => {
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

Deno.test("a node that is not well again counts as away, and none is started when all of the budget is", async () => {
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
      "2 nodes failed or did not come back, which exceeds --max-unavailable 2; nothing was sent",
  });
  const one = nodeBudget(1);
  await one.enter(never);
  one.leave(false);
  assert.deepEqual(await one.enter(never), {
    outcome: "refused",
    reason:
      "1 node failed or did not come back, which exceeds --max-unavailable 1; nothing was sent",
  });
});

Deno.test("node order: nodes that still wait at the timeout are reported", async () => {
  const budget = nodeBudget(1);
  const late = new AbortController();
  await budget.enter(late.signal);
  const second = budget.enter(late.signal);
  late.abort();
  assert.deepEqual(await second, {
    outcome: "timed-out",
    reason: "timed out before its turn; nothing was sent",
  });
});

Deno.test("a share of nodes is rounded down, to no less than one", () => {
  assert.deepEqual(
    ["3", "50%", "25%", "1%", "100%"].map((text) => parseNodes(text, 5)),
    [3, 2, 1, 1, 5],
  );
});
