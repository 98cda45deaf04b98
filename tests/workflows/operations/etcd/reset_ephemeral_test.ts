import assert from "node:assert/strict";
import { untilResult } from "../_kubernetes_context.ts";
import {
  makeRecoveryContext,
  type Plane,
  running,
} from "../../etcd/recovery/_control_planes.ts";
import { resetEphemeral } from "../../../../workflows/operations/etcd/reset_ephemeral.ts";

const input = { graceful: false };
const { verify, plan, quorum } = resetEphemeral;

const anew: Plane = { service: "Preparing", data: false, boot: "2" };
const kept: Plane = { service: "Running", data: true, boot: "2" };
const early: Plane = { service: "", data: true, boot: "2" };

Deno.test("a wipe has ended when another boot finds the folder empty", async () => {
  const context = await makeRecoveryContext({
    a: [running, "away", early, anew],
  });
  assert.deepEqual(await untilResult(verify(context, input, { bootId: "1" })), {
    outcome: "done",
    reason: "the etcd data directory is empty",
  });
  assert.equal(context.now(), 3_000);
});

Deno.test("a wipe whose boot has the data still has failed", async () => {
  const context = await makeRecoveryContext({ a: ["away", kept] });
  assert.deepEqual(await untilResult(verify(context, input, { bootId: "1" })), {
    outcome: "failed",
    reason: "the node has rebooted, and its etcd data is still there",
  });
});

Deno.test("a wipe that takes too long is told by what was seen last", async () => {
  for (
    const [state, outcome, reason] of [
      ["away", "never-returned", "the node does not answer"],
      [running, "timed-out", "the node has not rebooted yet"],
    ] as const
  ) {
    const context = await makeRecoveryContext({ a: [state] });
    const ending = new AbortController();
    const clock = {
      ...context.clock,
      sleep: () => Promise.resolve(ending.abort()),
    };
    const steps = verify({ ...context, clock, signal: ending.signal }, input, {
      bootId: "1",
    });
    assert.deepEqual(await untilResult(steps), { outcome, reason });
  }
});

Deno.test("resetEphemeral: an empty partition is not wiped, and the member is lost unless it leaves", () => {
  const seen = {
    stage: "running",
    partitions: ["EPHEMERAL"],
    volumes: [],
    dataDir: "data",
  } as unknown as Parameters<typeof plan>[0]; // nothing else is checked
  assert.deepEqual(plan({ ...seen, dataDir: "empty" }, input), []);
  assert.deepEqual(plan(seen, input), [{
    action: "wipe EPHEMERAL",
    loses: "EPHEMERAL (etcd, images and data of pods)",
  }]);
  assert.equal(quorum(input), "dies");
  assert.equal(quorum({ graceful: true }), "leaves-and-rejoins");
});
