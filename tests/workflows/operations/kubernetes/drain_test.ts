import assert from "node:assert/strict";
import { setFault } from "../../../../simulator/faults/set_fault.ts";
import type { Verdict } from "../../../../workflows/operations/operation.ts";
import { KubernetesError } from "../../../../workflows/kubernetes/client.ts";
import { setCordon } from "../../../../workflows/kubernetes/nodes.ts";
import {
  drain,
  type DrainInput,
} from "../../../../workflows/operations/kubernetes/drain.ts";
import {
  type KubernetesContext,
  kubernetesContext,
  untilResult,
} from "../_kubernetes_context.ts";

const path = "/api/v1/nodes/lab-worker-1";
const pods = "/api/v1/namespaces/default/pods";
const input: DrainInput = {
  force: true,
  deleteEmptydirData: false,
  keepCordon: false,
  owner: "run 1",
};

function addPod({ ask, pass }: KubernetesContext, name: string): void {
  const spec = { nodeName: "lab-worker-1" };
  ask(`POST ${pods}`, { metadata: { name }, spec });
  pass(1_000);
  ask(`GET ${pods}`);
}

async function runDrain(
  { context }: KubernetesContext,
  wanted: DrainInput = input,
): Promise<Verdict> {
  const seen = await drain.observe(context, wanted);
  assert.notDeepEqual(drain.plan(seen, wanted), []);
  const key = drain.key(seen, wanted);
  assert.equal(await drain.reconcile(context, wanted, key), "not-started");
  await untilResult(drain.apply(context, wanted, key));
  return await untilResult(drain.verify(context, wanted, key));
}

Deno.test("drain closes the node, and moves its pods", async () => {
  const fake = await kubernetesContext(2);
  addPod(fake, "a");
  const { outcome, reason } = await runDrain(fake);
  assert.equal(outcome, "done");
  assert.match(reason, /^\d pods? moved, 2 stay on the node$/);
  const { spec, metadata } = fake.ask(`GET ${path}`);
  assert.equal(spec.unschedulable, true);
  assert.equal(metadata.annotations["osctl.dev/cordoned-by"], "run 1");
});

Deno.test("drain that runs out of time opens what it closed, and says so", async () => {
  const fake = await kubernetesContext(2, 5_000);
  addPod(fake, "a");
  await setFault(fake.nodes[1]!, "pdb-blocks");
  const { outcome, reason } = await runDrain(fake);
  assert.equal(outcome, "timed-out");
  assert.match(reason, /default\/a: Cannot evict pod/);
  assert.match(reason, /; lab-worker-1 is uncordoned$/);
  assert.equal(fake.ask(`GET ${path}`).spec.unschedulable, undefined);
});

Deno.test("drain that runs out of time leaves a node closed that was so before, or is to be kept", async () => {
  for (const keepCordon of [false, true]) {
    const fake = await kubernetesContext(2, 5_000);
    addPod(fake, "a");
    await setFault(fake.nodes[1]!, "pdb-blocks");
    if (!keepCordon) {
      fake.ask(`PATCH ${path}`, { spec: { unschedulable: true } });
    }
    const { outcome } = await runDrain(fake, { ...input, keepCordon });
    assert.equal(outcome, "timed-out");
    assert.equal(fake.ask(`GET ${path}`).spec.unschedulable, true);
  }
});

Deno.test("drain does not open a node that another user took over meanwhile", async () => {
  const fake = await kubernetesContext(2, 5_000);
  addPod(fake, "a");
  await setFault(fake.nodes[1]!, "pdb-blocks");
  const { context, kubernetes, clock, signal } = fake;
  let isTaken = false;
  const other = {
    ...context,
    clock: {
      ...clock,
      async sleep(ms: number) {
        if (!isTaken) {
          await setCordon(kubernetes, "lab-worker-1", "run 2", signal);
        }
        isTaken = true;
        await clock.sleep(ms);
      },
    },
  };
  const { reason } = await runDrain({ ...fake, context: other });
  assert.match(
    reason,
    /; lab-worker-1 stays cordoned: another user or process cordoned it$/,
  );
});

Deno.test("drain that hears no answer to the cordoning leaves the node open", async () => {
  for (const keepCordon of [false, true]) {
    const fake = await kubernetesContext(2);
    const { context, kubernetes } = fake;
    const deaf: typeof kubernetes = {
      ...kubernetes,
      async request(at, asked) {
        const answer = await kubernetes.request(at, asked);
        const isClosing = JSON.stringify(asked.body)?.includes("run 1");
        if (isClosing) throw new KubernetesError(0, "Interrupted");
        return answer;
      },
    };
    const cluster = {
      ...context.cluster,
      kubernetes: () => Promise.resolve(deaf),
    };
    const other = { ...fake, context: { ...context, cluster } };
    await assert.rejects(
      runDrain(other, { ...input, keepCordon }),
      KubernetesError,
    );
    assert.equal(
      fake.ask(`GET ${path}`).spec.unschedulable,
      keepCordon ? true : undefined,
    );
  }
});

Deno.test("drain that cannot open the node again says that it stays cordoned", async () => {
  const fake = await kubernetesContext(2, 5_000);
  addPod(fake, "a");
  const { context, clock, unplug } = fake;
  const other = {
    ...context,
    clock: { ...clock, sleep: (ms: number) => (unplug(true), clock.sleep(ms)) },
  };
  await setFault(fake.nodes[1]!, "pdb-blocks");
  const { outcome, reason } = await runDrain({ ...fake, context: other });
  assert.equal(outcome, "timed-out");
  assert.match(reason, /; lab-worker-1 stays cordoned: Cannot reach it$/);
});

Deno.test("drain refuses pods that would be lost before it closes the node, and such that come later", async () => {
  const fake = await kubernetesContext(2);
  const wanted = { ...input, force: false };
  const { context } = fake;
  const before = await drain.observe(context, wanted);
  addPod(fake, "a");
  const seen = await drain.observe(context, wanted);
  const message =
    "Cannot evict pods: default/a: no controller recreates it (--force)";
  assert.throws(() => drain.plan(seen, wanted), {
    name: "RefusedError",
    message,
  });
  const key = drain.key(before, wanted);
  await untilResult(drain.apply(context, wanted, key));
  assert.deepEqual(await untilResult(drain.verify(context, wanted, key)), {
    outcome: "refused",
    reason: `${message}; lab-worker-1 is uncordoned`,
  });
});

Deno.test("drain has nothing to do on a single node, and on one that is closed and empty", async () => {
  const single = await kubernetesContext(1);
  single.ask("PATCH /api/v1/nodes/lab-controlplane-1", {
    spec: { unschedulable: true },
  });
  const alone = await drain.observe(single.context, input);
  assert.deepEqual(drain.plan(alone, input), []);
  const { already } = drain;
  assert.ok(typeof already === "function");
  assert.equal(
    already(alone, input),
    "nothing to do: there is no node other than lab-worker-1 for its pods",
  );
  const fake = await kubernetesContext(2);
  await runDrain(fake);
  const empty = await drain.observe(fake.context, input);
  assert.deepEqual(drain.plan(empty, input), []);
  assert.equal(
    already(empty, input),
    "nothing to do: lab-worker-1 is cordoned and has no pods to evict",
  );
});

Deno.test("leaving a drain early opens the node again", async () => {
  const fake = await kubernetesContext(2);
  addPod(fake, "a");
  await setFault(fake.nodes[1]!, "pdb-blocks");
  const { context, ask } = fake;
  const seen = await drain.observe(context, input);
  const key = drain.key(seen, input);
  await untilResult(drain.apply(context, input, key));
  const steps = drain.verify(context, input, key);
  await steps.next();
  assert.equal(ask(`GET ${path}`).spec.unschedulable, true);
  await steps.return({ outcome: "failed", reason: "" });
  assert.equal(ask(`GET ${path}`).spec.unschedulable, undefined);
});

Deno.test("drain cordons a node without pods to evict, also when the only other node is tainted, unless there is none", async () => {
  const { context, ask, pass } = await kubernetesContext(1);
  ask("DELETE /apis/apps/v1/namespaces/kube-system/deployments/coredns");
  pass(5_000);
  const seen = await drain.observe(context, input);
  assert.deepEqual(drain.plan(seen, input), [
    { action: "cordon lab-worker-1" },
    { action: "evict 0 pods from lab-worker-1" },
  ]);
  const kubernetes = await context.cluster.kubernetes();
  const { signal } = context;
  await setCordon(kubernetes, "lab-controlplane-1", "another", signal);
  const last = await drain.observe(context, input);
  assert.deepEqual(drain.plan(last, input), []);
});

Deno.test("drain moves what tolerates the taint of the only other node, and names what does not", async () => {
  const fake = await kubernetesContext(1);
  addPod(fake, "a");
  const seen = await drain.observe(fake.context, input);
  assert.deepEqual(drain.plan(seen, input), [
    { action: "cordon lab-worker-1" },
    {
      action: "evict 3 pods from lab-worker-1 (no other node takes default/a)",
    },
  ]);
});
