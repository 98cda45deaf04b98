import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import type { MachineState } from "../../../../transport/node/machine_state.ts";
import { shutdown } from "../../../../workflows/operations/node/shutdown.ts";
import { siteOf } from "../_site.ts";

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

Deno.test("shutdown sends force as it is", async () => {
  const sent: unknown[] = [];
  const { site } = await siteOf([state], 1_000, {
    shutdown(request) {
      sent.push(request);
      return { messages: [{ actorId: "x" }] };
    },
  });
  const steps = await Array.fromAsync(shutdown.apply(site, input, key));
  assert.deepEqual(sent, [{ force: true }]);
  assert.deepEqual(steps, [{ text: "the node is shutting down (actor x)" }]);
});

Deno.test("an attempt in doubt is found out by looking", async () => {
  const away = new RpcError("UNAVAILABLE", "gone");
  const cases = [
    [{ ...state, bootId: "2" }, "done"],
    [{ ...state, stage: "shutting down" }, "in-progress"],
    [away, "in-progress"],
    [state, "not-started"],
  ] as const;
  for (const [glance, found] of cases) {
    const { site } = await siteOf([glance], 60_000);
    assert.equal(await shutdown.reconcile(site, input, key), found);
  }
});

Deno.test("shutdown is done when the node is silent", async () => {
  const away = new RpcError("UNAVAILABLE", "gone");
  const { site } = await siteOf([state, away], 60_000);
  const waiting = shutdown.verify(site, input, key);
  let step = await waiting.next();
  while (!step.done) step = await waiting.next();
  assert.equal(step.value.outcome, "done");
});
