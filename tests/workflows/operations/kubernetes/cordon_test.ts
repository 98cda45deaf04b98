import assert from "node:assert/strict";
import {
  cordon,
  observeNode,
  uncordon,
} from "../../../../workflows/operations/kubernetes/cordon.ts";
import { kubernetesContext, untilResult } from "../_kubernetes_context.ts";

const path = "/api/v1/nodes/lab-worker-1";
const ours = { owner: "run 1" };
const any = { force: false, only: "any" } as const;

const already = (text: typeof cordon.already) =>
  typeof text === "function" ? text : assert.fail();

Deno.test("cordon closes an open node under a name, and sees that it is closed", async () => {
  const { context, ask } = await kubernetesContext(1);
  const seen = await cordon.observe(context, ours);
  assert.deepEqual(cordon.plan(seen, ours), [{
    action: "cordon lab-worker-1",
  }]);
  const key = cordon.key(seen, ours);
  assert.deepEqual(key, { name: "lab-worker-1", unschedulable: false });
  assert.equal(await cordon.reconcile(context, ours, key), "not-started");
  await untilResult(cordon.apply(context, ours, key));
  assert.equal(ask(`GET ${path}`).spec.unschedulable, true);
  assert.equal(await cordon.reconcile(context, ours, key), "done");
  assert.deepEqual(await untilResult(cordon.verify(context, ours, key)), {
    outcome: "done",
    reason: "lab-worker-1 is cordoned",
  });
  const again = await observeNode(context);
  assert.deepEqual(cordon.plan(again, ours), []);
  assert.equal(
    already(cordon.already)(again, ours),
    "nothing to do: lab-worker-1 is already cordoned by run 1",
  );
});

Deno.test("cordon waits for what another user opens again, until the time is up", async () => {
  const { context } = await kubernetesContext(1, 2_000);
  const key = { name: "lab-worker-1", unschedulable: false };
  assert.deepEqual(await untilResult(cordon.verify(context, ours, key)), {
    outcome: "timed-out",
    reason: "lab-worker-1 is not cordoned yet",
  });
});

Deno.test("uncordon for one owner leaves what another one has closed", async () => {
  const { context } = await kubernetesContext(1);
  const closed = await cordon.observe(context, ours);
  await untilResult(cordon.apply(context, ours, cordon.key(closed, ours)));
  const seen = await observeNode(context);
  const mine = { ...any, only: "ours" } as const;
  assert.deepEqual(uncordon.plan(seen, { ...mine, owner: "run 2" }), []);
  for (const input of [mine, { ...mine, owner: "run 1" }]) {
    assert.deepEqual(uncordon.plan(seen, input), [
      { action: "uncordon lab-worker-1" },
    ]);
  }
});

Deno.test("uncordon opens what was closed with a name; what has none needs force, or is left", async () => {
  const { context, ask } = await kubernetesContext(1);
  ask(`PATCH ${path}`, { spec: { unschedulable: true } });
  const seen = await observeNode(context);
  assert.throws(() => uncordon.plan(seen, any), {
    name: "RefusedError",
    message: "Node lab-worker-1 was cordoned by another user or process",
    hint: "Uncordon it anyway with --force",
  });
  assert.deepEqual(uncordon.plan(seen, { ...any, only: "ours" }), []);
  assert.equal(
    already(uncordon.already as typeof cordon.already)(seen, ours),
    "lab-worker-1 stays cordoned: another user or process cordoned it",
  );
  const forced = { ...any, force: true };
  assert.deepEqual(uncordon.plan(seen, forced), [
    { action: "uncordon lab-worker-1" },
  ]);
  const key = uncordon.key(seen, forced);
  assert.equal(await uncordon.reconcile(context, forced, key), "not-started");
  await untilResult(uncordon.apply(context, forced, key));
  assert.equal(await uncordon.reconcile(context, forced, key), "done");
  assert.equal(
    (await untilResult(uncordon.verify(context, forced, key))).outcome,
    "done",
  );
  assert.deepEqual(uncordon.plan(await observeNode(context), any), []);
});

Deno.test("a node that is not of Kubernetes any more is named", async () => {
  const { context, ask } = await kubernetesContext(1);
  ask(`GET ${path}`);
  const { cluster } = context;
  const kubernetes = await cluster.kubernetes();
  const gone = {
    ...kubernetes,
    request: () => Promise.reject(new Error('nodes "lab-worker-1" not found')),
  };
  const empty = {
    ...context,
    cluster: { ...cluster, kubernetes: () => Promise.resolve(gone) },
  };
  await assert.rejects(observeNode(empty), {
    message: 'nodes "lab-worker-1" not found',
  });
});
