import assert from "node:assert/strict";
import {
  untilActive,
  untilRebooted,
  untilSaved,
} from "../../../../workflows/operations/node/wait_applied.ts";
import { domain } from "../../../../talos.ts";
import { after, makeStage, untilOutcome } from "../../configuration/_node.ts";

Deno.test("untilActive waits until the configuration is in use", async () => {
  const { context, aim, now } = await makeStage({
    later: [[1_000, (node) => node.active = after]],
  });
  assert.deepEqual(await untilOutcome(untilActive(context, aim)), {
    reported: [
      "the node has a different configuration",
      "the node has a different configuration",
    ],
    end: { outcome: "done", reason: "the configuration is active" },
  });
  assert.equal(now(), 1_000);
});

Deno.test("untilActive ends after a minute, and says whether the node answers", async () => {
  const other = await makeStage();
  assert.deepEqual(
    (await untilOutcome(untilActive(other.context, other.aim))).end,
    { outcome: "timed-out", reason: "the node has a different configuration" },
  );
  assert.equal(other.now(), 60_000);
  const gone = await makeStage({ node: { away: true } });
  assert.deepEqual(
    (await untilOutcome(untilActive(gone.context, gone.aim))).end,
    {
      outcome: "never-returned",
      reason: "connection refused",
    },
  );
});

Deno.test("untilSaved looks at what the next boot will find, and believes old nodes", async () => {
  const reason = "takes effect with the next reboot";
  for (const saved of [after, undefined]) {
    const { context, aim } = await makeStage({ node: { saved } });
    assert.deepEqual((await untilOutcome(untilSaved(context, aim))).end, {
      outcome: "done",
      reason,
    });
  }
  const { context, aim } = await makeStage();
  const { outcome } = (await untilOutcome(untilSaved(context, aim))).end;
  assert.equal(outcome, "timed-out");
});

Deno.test("untilRebooted wants another boot and the configuration, at the new address", async () => {
  let bootId = "b1";
  const { context, aim, node } = await makeStage({
    node: { place: "10.0.0.9", active: after },
    aim: { places: ["10.0.0.9"], moves: true },
    handlers: {
      async *read() {
        yield await Promise.resolve({
          bytes: new TextEncoder().encode(bootId),
        });
      },
      version: () => ({ messages: [{ version: { tag: "v1.12.0" } }] }),
      get({ type }: { type: string }) {
        const status = { stage: "running", status: { ready: true } };
        const yamlSpec = type === `MachineStatuses.runtime.${domain}`
          ? JSON.stringify(status)
          : after;
        return { resource: { spec: { yamlSpec } } };
      },
    },
    later: [[2_000, () => bootId = "b2"]],
  });
  const { end, reported } = await untilOutcome(
    untilRebooted(context, aim, "b1"),
  );
  assert.deepEqual(end, {
    outcome: "done",
    reason: "the configuration is active",
  });
  assert.deepEqual(reported, ["the node has not rebooted yet (stage running)"]);
  assert.equal(node.open, 0);
});
