import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import type { MachineState } from "../../../../transport/node/machine_state.ts";
import { rollback } from "../../../../workflows/operations/node/rollback.ts";
import { fakeContext } from "../_node_context.ts";
import {
  type FakeSystem,
  otherSchematic,
  plainSchematic,
  systemHandlers,
} from "../_system.ts";

const before: FakeSystem = { version: "v1.12.2", schematic: plainSchematic };

const key = { bootId: "1", version: "v1.12.2", schematic: plainSchematic };

/** A node in a boot, with a system. */
async function nodeIn(bootId: string, system: FakeSystem) {
  const state: MachineState = {
    bootId,
    stage: "running",
    ready: true,
    unmet: [],
    version: system.version,
  };
  return (await fakeContext([state], 600_000, systemHandlers(() => system)))
    .context;
}

async function runVerify(bootId: string, system: FakeSystem) {
  const waiting = rollback.verify(await nodeIn(bootId, system), {}, key);
  let step = await waiting.next();
  while (!step.done) step = await waiting.next();
  return step.value;
}

Deno.test("a rollback is known by boot, version and schematic", async () => {
  const seen = await rollback.observe(await nodeIn("1", before), {});
  assert.deepEqual(rollback.key(seen, {}), key);
  assert.deepEqual(rollback.plan(seen, {}), [{
    action: "roll back from v1.12.2",
  }]);
  assert.equal(rollback.quorum({}), "leaves-temporarily");
});

Deno.test("a rollback is done when another system runs in another boot", async () => {
  assert.deepEqual(await runVerify("2", { ...before, version: "v1.12.1" }), {
    outcome: "done",
    reason: "ready, v1.12.1, was v1.12.2",
  });
  const { outcome } = await runVerify("2", {
    ...before,
    schematic: otherSchematic,
  });
  assert.equal(outcome, "done");
});

Deno.test("a node that comes back with what it had was not rolled back", async () => {
  assert.deepEqual(await runVerify("2", before), {
    outcome: "rolled-back",
    reason: "the node came back with the v1.12.2 it had before",
  });
});

Deno.test("a node that runs on never rebooted", async () => {
  assert.equal((await runVerify("1", before)).outcome, "never-rebooted");
});

Deno.test("a node without another system says so", async () => {
  const { context } = await fakeContext([], 1_000, {
    rollback: () =>
      Promise.reject(new RpcError("UNKNOWN", "previous UKI not found")),
  });
  await assert.rejects(Array.fromAsync(rollback.apply(context, {}, key)), {
    code: "UNKNOWN",
    message: "previous UKI not found",
  });
});
