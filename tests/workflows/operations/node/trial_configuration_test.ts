import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import {
  concludeTrial,
  type Trial,
} from "../../../../workflows/operations/node/trial_configuration.ts";
import {
  after,
  before,
  foreign,
  makeStage,
  type Stage,
  type StageOptions,
  untilOutcome,
} from "../../configuration/_node.ts";

const noReboot = 2;

/** A node that has just taken a configuration on trial for a minute. */
async function onTrial(
  options: StageOptions = {},
  checks: Trial["checks"] = [],
): Promise<Stage & { readonly run: () => ReturnType<typeof untilOutcome> }> {
  const stage = await makeStage({
    ...options,
    node: { active: after, ...options.node },
  });
  const trial: Trial = {
    ...stage.aim,
    text: after,
    checks,
    tryMs: 60_000,
    endsAt: 60_000,
  };
  return {
    ...stage,
    run: () => untilOutcome(concludeTrial(stage.context, trial)),
  };
}

const back: NonNullable<StageOptions["later"]>[number] = [60_000, (node) => {
  if (node.saved === before) node.active = before;
}];

Deno.test("a trial is confirmed when the node answers over a new connection", async () => {
  const { run, node } = await onTrial();
  const { end } = await run();
  assert.deepEqual(end, { outcome: "done", reason: "confirmed (active)" });
  assert.deepEqual(node.sent, [noReboot]);
  assert.deepEqual([node.saved, node.open], [after, 0]);
});

Deno.test("a trial waits for the node to come back", async () => {
  const { run, node, now } = await onTrial({
    node: { away: true },
    later: [[20_000, (node) => node.away = false], back],
  });
  const { end, reported } = await run();
  assert.equal((end as { outcome: string }).outcome, "done");
  assert.deepEqual(reported, ["not confirmed yet: connection refused"]);
  assert.deepEqual([node.active, now()], [after, 20_000]);
});

Deno.test("a trial is confirmed at the new address of the node", async () => {
  const { run, node } = await onTrial({
    node: { place: "10.0.0.9" },
    aim: { places: ["10.0.0.9"], moves: true },
  });
  assert.deepEqual((await run()).end, {
    outcome: "done",
    reason: "confirmed (active)",
  });
  assert.equal(node.saved, after);
});

Deno.test("a trial of a node that never answers is left to itself, and said to be rolled back when it is", async () => {
  const { run, node } = await onTrial({
    node: { away: true },
    later: [back, [61_000, (node) => node.away = false]],
  });
  const { end, reported } = await run();
  assert.deepEqual(end, {
    outcome: "rolled-back",
    reason: "connection refused; the node has reverted",
  });
  assert.ok(
    reported.includes(
      "not confirmed, waiting for the node to revert: connection refused",
    ),
  );
  assert.deepEqual([node.sent, node.active, node.open], [[], before, 0]);
});

Deno.test("a trial whose check fails is not confirmed", async () => {
  const { run, node } = await onTrial({
    handlers: {
      serviceList: () => ({
        messages: [{ services: [{ id: "kubelet", state: "Failed" }] }],
      }),
    },
    later: [back],
  }, ["kubelet"]);
  const { end } = await run();
  assert.deepEqual(end, {
    outcome: "rolled-back",
    reason: "kubelet is not running; the node has reverted",
  });
  assert.deepEqual(node.sent, []);
});

Deno.test("a confirmation whose reply was lost is not doubted", async () => {
  const { run, node } = await onTrial({
    onApply() {
      throw new RpcError("UNAVAILABLE", "EOF");
    },
  });
  assert.deepEqual((await run()).end, {
    outcome: "done",
    reason: "confirmed (active)",
  });
  assert.deepEqual(node.sent, [noReboot]);
});

Deno.test("an old node, which does not show what it keeps, is confirmed", async () => {
  const { run, node } = await onTrial({
    node: { saved: undefined },
    onApply: (node) => node.saved = undefined,
  });
  assert.deepEqual((await run()).end, {
    outcome: "done",
    reason: "confirmed (active)",
  });
  assert.deepEqual(node.sent, [noReboot]);
});

Deno.test("a confirmation that is refused, after which the node does not go back, is in doubt", async () => {
  const { run } = await onTrial({
    onApply(node) {
      node.saved = before;
      throw new RpcError("INVALID_ARGUMENT", "no");
    },
  });
  assert.deepEqual((await run()).end, {
    outcome: "in-doubt",
    reason: "no; the node has not reverted",
  });
});

Deno.test("a node that is gone for good never returned", async () => {
  const { run, now } = await onTrial({ node: { away: true } });
  const { outcome } = (await run()).end as { outcome: string };
  assert.equal(outcome, "never-returned");
  assert.equal(now(), 90_000);
});

Deno.test("a configuration another user has sent meanwhile is not written over", async () => {
  const { run, node } = await onTrial({
    node: { active: foreign, saved: foreign },
  });
  const { outcome } = (await run()).end as { outcome: string };
  assert.deepEqual([outcome, node.sent], ["in-doubt", []]);
});

Deno.test("a trial that is interrupted is left to itself", async () => {
  const { run, node, abort } = await onTrial({ node: { away: true } });
  abort();
  const { outcome } = (await run()).end as { outcome: string };
  assert.deepEqual([outcome, node.sent], ["timed-out", []]);
});
