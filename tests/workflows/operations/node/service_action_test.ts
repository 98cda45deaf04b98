import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../../errors.ts";
import {
  serviceRestart,
  serviceStart,
  serviceStop,
} from "../../../../workflows/operations/node/service_action.ts";
import { contextWith, runWalk } from "../_run_operation.ts";

const input = { id: "etcd" };
const key = { since: "1970-01-01T00:00:02Z" };

/** A service to which these states came, one a second; the key above knows of the first two. */
function serviceList(
  states: readonly string[],
  health: Record<string, unknown> = { unknown: true },
) {
  const events = states.map((state, i) => ({
    state,
    msg: `was ${state}`,
    ts: { seconds: BigInt(i + 1) },
  }));
  const state = states.at(-1);
  const service = { id: "etcd", state, health, events: { events } };
  return () => ({ messages: [{ services: [{ id: "cri" }, service] }] });
}

type Kind = typeof serviceStart;

async function makePlan(operation: Kind, states: readonly string[]) {
  const { context } = await contextWith({ serviceList: serviceList(states) });
  return operation.plan(await operation.observe(context, input), input);
}

async function runVerify(
  operation: Kind,
  states: readonly string[],
  health?: Record<string, unknown>,
) {
  const { context } = await contextWith({
    serviceList: serviceList(states, health),
  });
  const { verdict } = await runWalk(operation.verify(context, input, key));
  return `${verdict?.outcome} (${verdict?.reason})`;
}

async function runReconcile(operation: Kind, states: readonly string[]) {
  const { context } = await contextWith({ serviceList: serviceList(states) });
  return await operation.reconcile(context, input, key);
}

const runs = ["Preparing", "Running"];
const stopped = ["Running", "Finished"];

Deno.test("a service that is as wanted is left alone, a restart never is", async () => {
  assert.deepEqual(await makePlan(serviceStart, runs), []);
  assert.deepEqual(await makePlan(serviceStop, stopped), []);
  assert.deepEqual(await makePlan(serviceRestart, runs), [
    { action: "restart etcd" },
  ]);
  assert.deepEqual(await makePlan(serviceStart, stopped), [
    { action: "start etcd" },
  ]);
  assert.deepEqual(await makePlan(serviceStop, runs), [{
    action: "stop etcd",
  }]);
});

Deno.test("a start is done when the service runs and its check is content", async () => {
  const started = [...stopped, "Preparing", "Running"];
  assert.equal(
    await runVerify(serviceStart, started),
    "done (Running: was Running)",
  );
  const ill = { healthy: false, lastMessage: "no leader" };
  assert.equal(
    await runVerify(serviceStart, started, ill),
    "timed-out (Running: no leader)",
  );
});

Deno.test("a start that fails is a failure, one that ends by itself is done", async () => {
  assert.equal(
    await runVerify(serviceStart, [...stopped, "Preparing", "Failed"]),
    "failed (Failed: was Failed)",
  );
  assert.equal(
    await runVerify(serviceStart, [...stopped, "Running", "Finished"]),
    "done (Finished: was Finished)",
  );
  assert.equal(
    await runVerify(serviceStart, stopped),
    "timed-out (Finished: was Finished)",
  );
});

Deno.test("a restart is done when the service runs again, not while it is only stopped", async () => {
  const anew = [...runs, "Stopping", "Finished", "Preparing", "Running"];
  assert.equal(
    await runVerify(serviceRestart, anew),
    "done (Running: was Running)",
  );
  for (const length of [2, 3, 4, 5]) {
    const verdict = await runVerify(serviceRestart, anew.slice(0, length));
    assert.match(verdict, /^timed-out/);
  }
  // A check that was made meanwhile is an event, too.
  assert.match(
    await runVerify(serviceRestart, [...runs, "Running"]),
    /^timed-out/,
  );
});

Deno.test("a stop is done when the service is over", async () => {
  assert.equal(
    await runVerify(serviceStop, [...runs, "Stopping", "Finished"]),
    "done (Finished: was Finished)",
  );
  assert.equal(
    await runVerify(serviceStop, [...runs, "Stopping"]),
    "timed-out (Stopping: was Stopping)",
  );
});

Deno.test("an attempt whose client died is told by what happened to the service since", async () => {
  const anew = [...runs, "Stopping", "Finished", "Preparing", "Running"];
  assert.equal(await runReconcile(serviceRestart, anew), "done");
  assert.equal(
    await runReconcile(serviceRestart, anew.slice(0, 4)),
    "in-progress",
  );
  assert.equal(await runReconcile(serviceRestart, runs), "not-started");
  assert.equal(
    await runReconcile(serviceRestart, [...runs, "Running"]),
    "not-started",
  );
  assert.equal(await runReconcile(serviceStop, runs), "not-started");
});

Deno.test("the key is the time of the last event", async () => {
  const { context } = await contextWith({ serviceList: serviceList(runs) });
  const seen = await serviceRestart.observe(context, input);
  assert.deepEqual(serviceRestart.key(seen, input), key);
});

Deno.test("serviceStop, serviceStart: the node's refusal names action and service", async () => {
  const { context } = await contextWith({
    serviceStop: () => Promise.reject(new RpcError("UNKNOWN", "not that one")),
    serviceStart: () => Promise.reject(new ConnectError("reset", "cut off")),
  });
  await assert.rejects(
    runWalk(serviceStop.apply(context, input, key)),
    { message: 'Cannot stop service "etcd": not that one', code: "UNKNOWN" },
  );
  await assert.rejects(runWalk(serviceStart.apply(context, input, key)), {
    message: "cut off",
  });
});

Deno.test("only stops of etcd count for the quorum", () => {
  assert.equal(serviceStop.quorum({ id: "etcd" }), "leaves-temporarily");
  assert.equal(serviceRestart.quorum({ id: "etcd" }), "leaves-temporarily");
  assert.equal(serviceStart.quorum({ id: "etcd" }), "none");
  assert.equal(serviceStop.quorum({ id: "kubelet" }), "none");
});
