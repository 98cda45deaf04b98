import assert from "node:assert/strict";
import { RefusedError, RpcError } from "../../../../errors.ts";
import type { MachineState } from "../../../../transport/node/machine_state.ts";
import { shutdown } from "../../../../workflows/operations/node/shutdown.ts";
import { fakeContext } from "../_node_context.ts";
import { runWalk } from "../_run_operation.ts";

const state: MachineState = {
  bootId: "1",
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.1",
};

const input = { force: true };
const key = { bootId: "1" };

Deno.test("shutdown asks people, plans one action and is known by the boot", () => {
  assert.equal(shutdown.guarded, true);
  assert.equal(shutdown.quorum(input), "leaves-temporarily");
  assert.deepEqual(shutdown.plan(state, input), [{ action: "shut down" }]);
  assert.deepEqual(shutdown.key(state, input), key);
  assert.deepEqual(
    shutdown.key({ ...state, bootId: undefined }, input),
    { bootId: null },
  );
});

Deno.test("shutdown sends force as it is, and ends when the node has begun it", async () => {
  const sent: unknown[] = [];
  const going = { ...state, stage: "shutting down" };
  const { context } = await fakeContext([state, going], 60_000, {
    shutdown(request) {
      sent.push(request);
      return { messages: [{ actorId: "x" }] };
    },
    async *events() {},
  });
  const { steps, verdict } = await runWalk(shutdown.apply(context, input, key));
  assert.deepEqual(sent, [{ force: true }]);
  assert.deepEqual(steps, [
    "the node has taken the request (actor x)",
    "the node is shutting down",
  ]);
  assert.equal(verdict, undefined);
});

Deno.test("an attempt in doubt is found out by looking; silence and another boot may have other reasons", async () => {
  const away = new RpcError("UNAVAILABLE", "gone");
  const cases = [
    [{ ...state, bootId: "2" }, "unknown"],
    [{ ...state, stage: "shutting down" }, "in-progress"],
    [{ ...state, stage: "rebooting" }, "unknown"],
    [away, "unknown"],
    [state, "not-started"],
  ] as const;
  for (const [glance, found] of cases) {
    const reconcile = async (acknowledged: boolean) => {
      const { context } = await fakeContext([glance], 600_000);
      const attempt = { acknowledged, steps: [] };
      return await shutdown.reconcile(context, input, key, attempt);
    };
    assert.equal(await reconcile(false), found);
    assert.equal(await reconcile(true), "in-progress");
  }
});

Deno.test("shutdown leaves a node alone that is at something else, unless it is to be forced off", () => {
  const rebooting = { ...state, stage: "rebooting" };
  assert.throws(() => shutdown.plan(rebooting, { force: false }), RefusedError);
  assert.equal(shutdown.plan(rebooting, input).length, 1);
  const resetting = { ...state, stage: "resetting" };
  assert.throws(() => shutdown.plan(resetting, input), RefusedError);
});

Deno.test("shutdown is done when the node is silent", async () => {
  const away = new RpcError("UNAVAILABLE", "gone");
  const { context } = await fakeContext([state, away], 60_000);
  const waiting = shutdown.verify(context, input, key);
  let step = await waiting.next();
  while (!step.done) step = await waiting.next();
  assert.equal(step.value.outcome, "done");
});
