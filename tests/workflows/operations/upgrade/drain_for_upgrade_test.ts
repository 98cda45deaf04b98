import assert from "node:assert/strict";
import { setFault } from "../../../../simulator/faults/set_fault.ts";
import { readNode, setCordon } from "../../../../workflows/kubernetes/nodes.ts";
import { reboot } from "../../../../workflows/operations/node/reboot.ts";
import {
  empty,
  leftClosed,
  nodeToDrain,
  open,
  whileEmpty,
} from "../../../../workflows/operations/upgrade/drain_for_upgrade.ts";
import {
  type KubernetesContext,
  kubernetesContext,
  untilResult,
} from "../_kubernetes_context.ts";

const name = "lab-worker-1";
const path = `/api/v1/nodes/${name}`;
const pods = "/api/v1/namespaces/default/pods";

function addPod({ ask, pass }: KubernetesContext): void {
  const spec = { nodeName: name, volumes: [{ name: "data", emptyDir: {} }] };
  ask(`POST ${pods}`, { metadata: { name: "a" }, spec });
  pass(1_000);
  ask(`GET ${pods}`);
}

function isClosed({ ask }: KubernetesContext): boolean {
  return ask(`GET ${path}`).spec.unschedulable === true;
}

/** The reason of work that failed on the node. */
async function failInside(
  { context }: KubernetesContext,
  before = () => {},
): Promise<string | undefined> {
  const work = whileEmpty(context, within(60_000), name, async function* () {
    before();
    yield* [];
    return await Promise.resolve({ outcome: "failed", reason: "no" });
  });
  return (await untilResult(work))?.reason;
}

const within = (drainMs: number) => ({ drainMs, owner: "upgrade" } as const);

Deno.test("the node to empty is that of Kubernetes, unless its pods could go nowhere", async () => {
  assert.equal(await nodeToDrain((await kubernetesContext(2)).context), name);
  const fake = await kubernetesContext(1);
  // Some pods may run on control planes.
  assert.equal(await nodeToDrain(fake.context), name);
  fake.ask("PATCH /api/v1/nodes/lab-controlplane-1", {
    spec: { unschedulable: true },
  });
  assert.equal(await nodeToDrain(fake.context), null);
});

Deno.test("without Kubernetes nothing is started, and the flag that does without is named", async () => {
  const fake = await kubernetesContext(2);
  fake.unplug(true);
  await assert.rejects(nodeToDrain(fake.context), {
    name: "RefusedError",
    message: "Cannot drain the node: Cannot reach it",
    hint: "Nothing was sent; to leave its pods running: --drain=false",
  });
});

Deno.test("a node is emptied of everything, and opened when it is back", async () => {
  const fake = await kubernetesContext(2);
  addPod(fake);
  assert.equal(
    await untilResult(empty(fake.context, name, within(60_000))),
    undefined,
  );
  assert.equal(isClosed(fake), true);
  assert.equal(fake.ask(`GET ${pods}/a`).code, 404);
  // Whoever resumes finds it closed, and knows it for closed by itself.
  assert.equal(
    await untilResult(empty(fake.context, name, within(60_000))),
    undefined,
  );
  assert.deepEqual(await untilResult(open(fake.context, name)), {
    outcome: "done",
    reason: "lab-worker-1 is uncordoned",
  });
  assert.equal(isClosed(fake), false);
  assert.deepEqual(await untilResult(open(fake.context, name)), {
    outcome: "done",
    reason: "lab-worker-1 is not cordoned",
  });
});

Deno.test("a node that does not get empty in its time is opened, long before all time is up", async () => {
  const fake = await kubernetesContext(2, 600_000);
  addPod(fake);
  await setFault(fake.nodes[1]!, "pdb-blocks"); // there are two workers
  const ended = await untilResult(empty(fake.context, name, within(3_000)));
  assert.equal(ended?.outcome, "timed-out");
  assert.match(
    ended?.reason ?? "",
    /^the node could not be drained; left: .*default\/a: Cannot evict pod .*; lab-worker-1 is uncordoned$/,
  );
  assert.equal(fake.clock.now(), 3_000);
  assert.equal(fake.signal.aborted, false);
  assert.equal(isClosed(fake), false);
});

Deno.test("a node that another user has closed stays so", async () => {
  const fake = await kubernetesContext(2);
  const { kubernetes, context, signal } = fake;
  await setCordon(kubernetes, name, "node drain", signal);
  assert.equal(
    await untilResult(empty(context, name, within(60_000))),
    undefined,
  );
  const reason =
    "lab-worker-1 stays cordoned: another user or process cordoned it";
  assert.deepEqual(await untilResult(open(context, name)), {
    outcome: "done",
    reason,
  });
  assert.equal(await failInside(fake), `no; ${reason}`);
  assert.equal(isClosed(fake), true);
});

Deno.test("a reboot owns its cordon, and an upgrade removes one that a reboot left", async () => {
  const fake = await kubernetesContext(2);
  const { kubernetes, context, signal } = fake;
  const input = { mode: "default", drainMs: 60_000 } as const;
  const steps = reboot.apply(context, input, { bootId: "1", drains: name });
  assert.equal((await steps.next()).done, false);
  const owner = async () =>
    (await readNode(kubernetes, name, signal)).cordonedBy;
  assert.equal(await owner(), "reboot");
  assert.equal(await leftClosed(context), name);
  await untilResult(empty(context, name, within(60_000)));
  assert.equal(await owner(), "upgrade");
  await untilResult(open(context, name));
  assert.equal(isClosed(fake), false);
});

Deno.test("opening waits for Kubernetes until the time is up", async () => {
  const fake = await kubernetesContext(2, 5_000);
  const { context, unplug } = fake;
  assert.equal(
    await failInside(fake, () => unplug(true)),
    "no; lab-worker-1 stays cordoned: Cannot reach it",
  );
  assert.deepEqual(await untilResult(open(context, name)), {
    outcome: "timed-out",
    reason: "lab-worker-1 is still cordoned: Cannot reach it",
  });
  const other = await kubernetesContext(2);
  assert.equal(await failInside(other), "no; lab-worker-1 is uncordoned");
});

Deno.test("a node that Kubernetes does not have any more is named", async () => {
  const fake = await kubernetesContext(2);
  const named = /nodes "gone" not found/;
  await assert.rejects(untilResult(open(fake.context, "gone")), {
    name: "KubernetesError",
    message: named,
  });
});

Deno.test("emptying waits for Kubernetes, and then continues", async () => {
  const fake = await kubernetesContext(2);
  const { context, unplug } = fake;
  unplug(true);
  const emptying = empty(context, name, within(60_000));
  const first = await emptying.next();
  assert.deepEqual(first, { done: false, value: { text: "Cannot reach it" } });
  unplug(false);
  assert.equal(await untilResult(emptying), undefined);
  assert.equal(isClosed(fake), true);
});

Deno.test("emptying without Kubernetes ends in time, and says what can be done", async () => {
  const fake = await kubernetesContext(2, 600_000);
  fake.unplug(true);
  assert.deepEqual(
    await untilResult(empty(fake.context, name, within(3_000))),
    {
      outcome: "timed-out",
      reason:
        "the node could not be drained; Cannot reach it (resume it when " +
        "Kubernetes answers, or keep the pods running with --drain=false)",
    },
  );
  assert.equal(fake.clock.now(), 3_000);
});

Deno.test("empty: a final answer of Kubernetes ends the drain at once", async () => {
  const { context, clock } = await kubernetesContext(2);
  await assert.rejects(untilResult(empty(context, "gone", within(60_000))), {
    name: "KubernetesError",
    message: /nodes "gone" not found/,
  });
  assert.equal(clock.now(), 0);
});

Deno.test("a node that an upgrade has left closed is found, and those of others are not", async () => {
  const fake = await kubernetesContext(1);
  const { context, kubernetes, signal, unplug } = fake;
  assert.equal(await leftClosed(context), null);
  await setCordon(kubernetes, name, "node drain", signal);
  assert.equal(await leftClosed(context), null);
  await setCordon(kubernetes, name, "upgrade", signal);
  assert.equal(await leftClosed(context), name);
  // It is emptied again, and opened then, although its pods could go nowhere.
  assert.equal(await nodeToDrain(context), name);
  unplug(true);
  assert.equal(await leftClosed(context), null);
});
