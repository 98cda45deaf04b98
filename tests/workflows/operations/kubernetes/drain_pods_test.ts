import assert from "node:assert/strict";
import { KubernetesError } from "../../../../workflows/kubernetes/client.ts";
import {
  type DrainLimits,
  drainPods,
  type DrainResult,
  planDrain,
  podName,
} from "../../../../workflows/operations/kubernetes/drain_pods.ts";
import type { Pod } from "../../../../workflows/kubernetes/nodes.ts";
import { setFault } from "../../../../simulator/faults/set_fault.ts";
import {
  type FakeKubernetes,
  startKubernetes,
} from "../../kubernetes/_kubernetes.ts";

const node = "lab-worker-1";
const pods = "/api/v1/namespaces/default/pods";
const careful: DrainLimits = { force: false, deleteEmptydirData: false };
const careless: DrainLimits = { force: true, deleteEmptydirData: true };

function pod(kind: Pod["kind"], hasLocalData = false): Pod {
  return {
    namespace: "default",
    name: kind,
    uid: kind,
    kind,
    hasLocalData,
    tolerates: [],
  };
}

/** Drains the first of two workers; how it ended, and what was reported. */
async function drain(
  fake: FakeKubernetes,
  limits: DrainLimits = careful,
): Promise<DrainResult & { readonly reported: readonly string[] }> {
  const { kubernetes, signal, clock } = fake;
  const steps = drainPods({ kubernetes, node, limits, signal, clock });
  const reported: string[] = [];
  while (true) {
    const { done, value } = await steps.next();
    if (done) return { ...value, reported };
    reported.push(value.text);
  }
}

/** Two workers, the first of which is closed, and pods on it. */
async function withPods(
  names: readonly string[],
  limitMs?: number,
): Promise<FakeKubernetes> {
  const fake = await startKubernetes({ workers: 2 }, limitMs);
  const { ask } = fake;
  ask(`PATCH /api/v1/nodes/${node}`, { spec: { unschedulable: true } });
  for (const name of names) {
    ask(`POST ${pods}`, { metadata: { name }, spec: { nodeName: node } });
  }
  fake.pass(1_000);
  ask(`GET ${pods}`);
  return fake;
}

Deno.test("planDrain leaves pods that belong to the node, and says which may not go", () => {
  const all = [
    pod("movable"),
    pod("unmanaged"),
    pod("daemonset"),
    pod("static"),
    pod("finished", true),
    { ...pod("movable", true), name: "data" },
  ];
  const plan = planDrain(all, careful);
  const names = (some: readonly Pod[]) => some.map(({ name }) => name);
  assert.deepEqual(names(plan.moving), ["movable", "unmanaged", "data"]);
  assert.deepEqual(names(plan.staying), ["daemonset", "static"]);
  assert.deepEqual(names(plan.finished), ["finished"]);
  assert.deepEqual(plan.forbidden, [
    "default/unmanaged: no controller recreates it (--force)",
    "default/data: it has local data (--delete-emptydir-data)",
  ]);
  assert.deepEqual(planDrain(all, careless).forbidden, []);
});

Deno.test("podName has the namespace in front", () => {
  assert.equal(podName({ namespace: "a", name: "b" }), "a/b");
});

Deno.test("drainPods evicts each pod once and waits until it is gone", async () => {
  const fake = await withPods(["a", "b"]);
  const { moved, left, forbidden, reported } = await drain(fake, careless);
  assert.deepEqual([left, forbidden], [[], []]);
  assert.ok(moved >= 2);
  assert.match(reported.join("\n"), /^draining, \d pods? left$/m);
  const evictions = fake.requests.filter((line) => line.includes("default"));
  assert.deepEqual(evictions, [
    `POST ${pods}/a/eviction`,
    `POST ${pods}/b/eviction`,
  ]);
});

Deno.test("drainPods deletes what is finished", async () => {
  const fake = await withPods([]);
  fake.ask(`POST ${pods}`, {
    metadata: { name: "job" },
    spec: { nodeName: node },
    status: { phase: "Succeeded" },
  });
  const { left } = await drain(fake);
  assert.deepEqual(left, []);
  assert.ok(fake.requests.includes(`DELETE ${pods}/job`));
});

Deno.test("drainPods asks ever more seldom while a budget says no, and names it at the end", async () => {
  const fake = await withPods(["a"], 30_000);
  await setFault(fake.nodes[1]!, "pdb-blocks");
  const { left } = await drain(fake, careless);
  assert.ok(
    left.includes(
      "default/a: Cannot evict pod as it would violate the pod's disruption budget. The disruption budget blocked needs 1 healthy pods and has 1 currently",
    ),
    left.join(),
  );
  const asked = fake.requests.filter((line) => line.includes("/a/eviction"));
  // After 0, 0.5, 1.5, 3.5, 7.5, 12.5, 17.5, 22.5 and 27.5 s.
  assert.equal(asked.length, 9);
});

Deno.test("drainPods continues when the budget lets go", async () => {
  const fake = await withPods(["a"], 60_000);
  await setFault(fake.nodes[1]!, "pdb-blocks", { calls: 3 });
  const { left } = await drain(fake, careless);
  assert.deepEqual(left, []);
});

Deno.test("drainPods waits for Kubernetes, and says that it does not answer", async () => {
  const fake = await withPods(["a"], 10_000);
  fake.unplug(true);
  const { left, reported } = await drain(fake, careless);
  assert.deepEqual(reported, ["Cannot reach it"]);
  assert.deepEqual(left, ["Cannot reach it"]);
});

Deno.test("drainPods stops at pods that came meanwhile and may not go", async () => {
  const fake = await withPods(["a"]);
  const { forbidden } = await drain(fake);
  assert.deepEqual(forbidden, [
    "default/a: no controller recreates it (--force)",
  ]);
  assert.ok(fake.requests.every((line) => line.startsWith("GET ")));
});

Deno.test("drainPods fails with what asking again cannot help", async () => {
  const { clock, signal } = await startKubernetes();
  const kubernetes = {
    request: () =>
      Promise.reject(new KubernetesError(403, "pods is forbidden")),
    [Symbol.dispose]() {},
  };
  const steps = drainPods({ kubernetes, node, limits: careful, signal, clock });
  await assert.rejects(steps.next(), { message: "pods is forbidden" });
});
