/** The same calls to the simulated API server, and to the real one where there is one. */

import assert from "node:assert/strict";
import {
  KubernetesError,
  readFields,
} from "../../../workflows/kubernetes/client.ts";
import {
  drainPods,
  type DrainResult,
  planDrain,
} from "../../../workflows/operations/kubernetes/drain_pods.ts";
import {
  evict,
  podsOn,
  readNode,
  setCordon,
} from "../../../workflows/kubernetes/nodes.ts";
import { applyManifests } from "../../../workflows/kubernetes/manifests.ts";
import { readInventory } from "../../../workflows/kubernetes/manifest_objects.ts";
import { readObjects } from "../../../workflows/kubernetes/objects.ts";
import {
  type LeaseState,
  readLease,
  writeLease,
} from "../../../workflows/runbooks/lock/lease.ts";
import { patch, pods, post, type Server, testOnBoth } from "./_servers.ts";
import { systemClock } from "../../../simulator/clock/clock.ts";

const { signal } = new AbortController();
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

interface PodSpec {
  readonly owner?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly hasData?: boolean;
  readonly phase?: string;
}

async function addPod(
  { kubernetes, node, setStatus }: Server,
  name: string,
  { owner, annotations = {}, hasData = false, phase = "Running" }: PodSpec,
): Promise<void> {
  const labels = { app: name };
  await post(kubernetes, pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels,
      annotations,
      ...(owner === undefined ? {} : {
        ownerReferences: [{
          apiVersion: "apps/v1",
          kind: owner,
          name,
          uid: crypto.randomUUID(),
          controller: true,
        }],
      }),
    },
    spec: {
      nodeName: node,
      containers: [{ name: "main", image: "registry.k8s.io/pause:3.10" }],
      ...(hasData ? { volumes: [{ name: "scratch", emptyDir: {} }] } : {}),
    },
  });
  const conditions = [{ type: "Ready", status: "True" }];
  await setStatus(`${pods}/${name}`, { phase, conditions });
}

const first: LeaseState = {
  holder: "20261120-7k2f @ eve@desk",
  durationMs: 60_000,
  renewedAt: Date.UTC(2026, 10, 20, 19, 30, 0, 125),
  claim: "20261120-7k2f",
  claimedBy: "eve@desk",
  journals: new Map([["a", { seq: 3, checksum: "0a1b2c3d" }]]),
  version: "",
};

testOnBoth(
  "a Lease is made, renewed by who knows its version, and let go",
  async ({ kubernetes }) => {
    const conflict = { name: "KubernetesError", code: 409 };
    assert.equal(await readLease(kubernetes, signal), undefined);
    await writeLease(kubernetes, first, signal);
    await assert.rejects(writeLease(kubernetes, first, signal), conflict);
    const made = await readLease(kubernetes, signal);
    assert.ok(made);
    assert.deepEqual(made, { ...first, version: made.version });
    const renewed = { ...made, renewedAt: made.renewedAt + 20_000 };
    await writeLease(kubernetes, renewed, signal);
    await assert.rejects(writeLease(kubernetes, renewed, signal), conflict);
    const now = await readLease(kubernetes, signal);
    assert.ok(now);
    const free = { ...now, holder: "", claim: "", claimedBy: "" };
    await writeLease(kubernetes, { ...free, removed: "gone" }, signal);
    const last = await readLease(kubernetes, signal);
    assert.deepEqual(last, { ...free, version: last?.version });
  },
);

testOnBoth(
  "a node is cordoned by another user, and uncordoned",
  async ({ kubernetes, node }) => {
    const state = async () => {
      const { name, unschedulable, cordonedBy } = await readNode(
        kubernetes,
        node,
        signal,
      );
      return [name, unschedulable, cordonedBy];
    };
    assert.deepEqual(await state(), [node, false, undefined]);
    await setCordon(kubernetes, node, "run 20261120-7k2f", signal);
    assert.deepEqual(await state(), [node, true, "run 20261120-7k2f"]);
    await setCordon(kubernetes, node, undefined, signal);
    assert.deepEqual(await state(), [node, false, undefined]);
    await assert.rejects(readNode(kubernetes, "nobody", signal), {
      name: "KubernetesError",
      code: 404,
      message: 'nodes "nobody" not found',
    });
  },
);

/** Drains while a kubelet stops what was asked to go. */
async function drain(server: Server): Promise<DrainResult> {
  const { kubernetes, node, kubelet } = server;
  const limits = { force: true, deleteEmptydirData: true };
  const clock = systemClock;
  const steps = drainPods({
    ...{ kubernetes, node, limits, clock },
    signal: AbortSignal.timeout(15_000),
  });
  while (true) {
    const { done, value } = await steps.next();
    if (done) return value;
    await kubelet();
  }
}

testOnBoth(
  "a drain sorts pods, moves those that may go, and leaves those of the node",
  async (server) => {
    const { kubernetes, node } = server;
    const before = (await podsOn(kubernetes, node, signal)).length;
    await addPod(server, "web", { owner: "ReplicaSet" });
    await addPod(server, "cache", { owner: "ReplicaSet", hasData: true });
    await addPod(server, "agent", { owner: "DaemonSet" });
    const mirror = { "kubernetes.io/config.mirror": "0123" };
    await addPod(server, "proxy", { annotations: mirror });
    await addPod(server, "bare", {});
    await addPod(server, "job", { owner: "Job", phase: "Succeeded" });
    const found = (await podsOn(kubernetes, node, signal))
      .filter(({ namespace }) => namespace === "default");
    const sorted = planDrain(found, {
      force: false,
      deleteEmptydirData: false,
    });
    const names = (some: readonly { readonly name: string }[]) =>
      some.map(({ name }) => name).toSorted();
    assert.deepEqual(names(sorted.moving), ["bare", "cache", "web"]);
    assert.deepEqual(names(sorted.finished), ["job"]);
    assert.deepEqual(names(sorted.staying), ["agent", "proxy"]);
    assert.deepEqual(sorted.forbidden.toSorted(), [
      "default/bare: no controller recreates it (--force)",
      "default/cache: it has local data (--delete-emptydir-data)",
    ]);
    await setCordon(kubernetes, node, "a test", signal);
    const { moved, left } = await drain(server);
    assert.deepEqual(left, []);
    assert.ok(moved >= 4, `${moved}, ${before} before`);
    const rest = (await podsOn(kubernetes, node, signal))
      .filter(({ namespace }) => namespace === "default");
    assert.deepEqual(names(rest), ["agent", "proxy"]);
  },
);

testOnBoth(
  "an eviction waits for a disruption budget, and means one pod alone",
  async (server) => {
    const { kubernetes, node, kubelet } = server;
    await addPod(server, "web", { owner: "ReplicaSet" });
    await post(kubernetes, budgets, {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "web" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
    });
    const find = async () =>
      (await podsOn(kubernetes, node, signal)).find(({ name }) =>
        name === "web"
      );
    await allow(server, 0);
    const pod = await find();
    assert.ok(pod);
    await assert.rejects(evict(kubernetes, pod, signal), (error) => {
      assert.ok(error instanceof KubernetesError);
      assert.equal(error.code, 429);
      assert.equal(
        error.message,
        "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 1 healthy pods and has 1 currently",
      );
      return true;
    });
    await patch(kubernetes, `${budgets}/web`, { spec: { minAvailable: 0 } });
    await allow(server, 1);
    const stale = { ...pod, uid: crypto.randomUUID() };
    await assert.rejects(evict(kubernetes, stale, signal), { code: 409 });
    // The real one has counted it before it looked whether it is the pod that was meant.
    await allow(server, 1);
    await evict(kubernetes, pod, signal);
    await kubelet();
    await assert.rejects(evict(kubernetes, { ...pod, name: "none" }, signal), {
      code: 404,
    });
  },
);

/** Says how many pods of the budget may be away. */
async function allow(
  { kubernetes, setStatus }: Server,
  disruptionsAllowed: number,
): Promise<void> {
  const { metadata } = await kubernetes.request(`${budgets}/web`, { signal });
  await setStatus(`${budgets}/web`, {
    disruptionsAllowed,
    currentHealthy: 1,
    desiredHealthy: 1 - disruptionsAllowed,
    expectedPods: 1,
    observedGeneration: readFields(metadata).generation ?? 1,
  });
}

testOnBoth("objects are found by kind, name and labels", async (server) => {
  const { kubernetes, node } = server;
  await addPod(server, "web", { owner: "ReplicaSet" });
  await addPod(server, "db", { owner: "ReplicaSet" });
  const serverNames = async (choice: Readonly<Record<string, string>>) =>
    (await readObjects(kubernetes, {
      ...{ apiVersion: "v1", kind: "Pod" },
      ...choice,
    }, signal)).map(({ metadata }) => metadata?.name);
  const namespace = "default";
  assert.deepEqual(await serverNames({ namespace, name: "db" }), ["db"]);
  assert.deepEqual(await serverNames({ namespace, name: "none" }), []);
  const labelSelector = "app in (web,db),app!=db";
  assert.deepEqual(await serverNames({ namespace, labelSelector }), ["web"]);
  assert.ok((await serverNames({ kind: "Node" })).includes(node));
});

const configMap = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "kube-system" },
  data: { name },
});

testOnBoth(
  "manifests that talosctl applied are not applied again, and are changed and pruned as own ones",
  async ({ kubernetes }) => {
    const inventory = "talos-bootstrap-manifests-inventory";
    const maps = "/api/v1/namespaces/kube-system/configmaps";
    // Requests of talosctl v1.14.
    const apply = async (name: string, data: Record<string, string>) => {
      const annotations = { "config.k8s.io/owning-inventory": inventory };
      const { metadata, ...rest } = configMap(name);
      await kubernetes.request(
        `${maps}/${name}?fieldManager=talos&force=true`,
        {
          method: "PATCH",
          patch: "apply",
          body: { ...rest, metadata: { ...metadata, annotations }, data },
          signal,
        },
      );
    };
    const list = async (method: "POST" | "PUT", names: readonly string[]) => {
      const path = method === "POST" ? maps : `${maps}/${inventory}`;
      const keys = names.map((name) => [`kube-system_${name}__ConfigMap`, ""]);
      const body = { ...configMap(inventory), data: Object.fromEntries(keys) };
      await kubernetes.request(path, { method, body, signal });
    };
    const options = { serverSide: true, prune: true, signal };
    const applied = (...names: readonly string[]) =>
      Array.fromAsync(
        applyManifests(kubernetes, names.map(configMap), options),
        ({ action, object }) => `${action} ${object}`,
      );
    await list("POST", ["one", "two"]);
    for (const name of ["one", "two"]) await apply(name, { name });
    assert.deepEqual(await applied("one", "two"), []);
    assert.deepEqual(await applied("one", "three"), [
      "create v1.ConfigMap/kube-system/three",
      "prune v1.ConfigMap/kube-system/two",
    ]);
    assert.deepEqual(
      (await readInventory(kubernetes, signal)).toSorted(),
      ["kube-system_one__ConfigMap", "kube-system_three__ConfigMap"],
    );
    // Its turn again: both have the same field manager, so that no field stays that only the other had.
    await apply("one", { name: "one", more: "1" });
    await list("PUT", ["one", "three", "four"]);
    assert.deepEqual(await applied("one", "three"), [
      "change v1.ConfigMap/kube-system/one",
    ]);
    const { data } = await kubernetes.request(`${maps}/one`, { signal });
    assert.deepEqual(data, { name: "one" });
    assert.deepEqual(
      (await readInventory(kubernetes, signal)).toSorted(),
      ["kube-system_one__ConfigMap", "kube-system_three__ConfigMap"],
    );
  },
);
