import assert from "node:assert/strict";
import { createCa } from "../../../pki/ca.ts";
import { generateKey } from "../../../pki/key.ts";
import { machineConfig } from "../../../simulator/state/machine_config.ts";
import { isReady } from "../../../simulator/state/kubernetes_objects.ts";
import {
  applyLive,
  saveConfiguration,
} from "../../../simulator/node/live_configuration.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { stopService } from "../../../simulator/node/system_services.ts";
import {
  accessIn,
  type KubernetesAccess,
} from "../../../workflows/kubernetes/access.ts";
import { openKubernetes } from "../../../workflows/kubernetes/client.ts";
import { readKubeconfig } from "../../../workflows/kubernetes/kubeconfig.ts";
import { withCluster } from "../../_cluster.ts";
import { openClient } from "../_faults.ts";
import { type TestCas, withCas } from "../_rotation.ts";
import { openApi } from "./_api.ts";

Deno.test("nodes are as their kubelets report them", async () => {
  const { ask, nodes } = await openApi({ workers: 1, kubernetes: "1.34.1" });
  const node = ask("GET /api/v1/nodes/lab-worker-1");
  assert.deepEqual(node.metadata.labels, {
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": "lab-worker-1",
    "kubernetes.io/os": "linux",
  });
  assert.deepEqual(node.status.addresses, [
    { type: "InternalIP", address: nodes[1]!.identity.address },
    { type: "Hostname", address: "lab-worker-1" },
  ]);
  assert.equal(node.status.nodeInfo.kubeletVersion, "v1.34.1");
  assert.equal(node.status.nodeInfo.bootID, nodes[1]!.boot.id);
  assert.ok(isReady(node));
  const controlPlane = ask("GET /api/v1/nodes/lab-controlplane-1");
  assert.deepEqual(controlPlane.spec.taints, [
    { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
  ]);
});

Deno.test("labels follow the configuration of a node that is looked at before and after", async () => {
  const { ask, nodes } = await openApi({ workers: 1 });
  const worker = nodes[1]!;
  const before = machineConfig(worker);
  const rack = () =>
    ask("GET /api/v1/nodes/lab-worker-1").metadata.labels["rack"];
  assert.equal(rack(), undefined);
  for (const place of ["a1", "b2"]) {
    const label = `machine:\n    nodeLabels: {rack: ${place}}\n`;
    await applyLive(worker, before.replace(/^machine:\n/m, label));
    assert.equal(rack(), place);
    assert.equal(rack(), place);
  }
  await applyLive(worker, before);
  assert.equal(rack(), undefined);
});

Deno.test("a node whose kubelet does not report is not ready, until it does", async () => {
  const { ask, nodes } = await openApi({ workers: 1 });
  ask("GET /api/v1/nodes");
  stopService(nodes[1]!, "kubelet");
  const node = ask("GET /api/v1/nodes/lab-worker-1");
  assert.equal(isReady(node), false);
  assert.deepEqual(
    node.status.conditions.map((
      { status, message }: Record<string, string>,
    ) => [status, message]),
    [["Unknown", "Kubelet stopped posting node status."]],
  );
  assert.deepEqual(node.spec.taints, [
    { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" },
  ]);
  nodes[1]!.boot.services.get("kubelet")!.state = "Running";
  assert.ok(isReady(ask("GET /api/v1/nodes/lab-worker-1")));
});

Deno.test("a closed node has the taint that says so, and loses it when opened", async () => {
  const { ask } = await openApi({ workers: 1 });
  const path = "/api/v1/nodes/lab-worker-1";
  ask(`PATCH ${path}`, { spec: { unschedulable: true } });
  assert.deepEqual(ask(`GET ${path}`).spec, {
    unschedulable: true,
    taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
  });
  ask(`PATCH ${path}`, { spec: { unschedulable: null } });
  assert.deepEqual(ask(`GET ${path}`).spec, { taints: [] });
});

Deno.test("looking at a node does not change it", async () => {
  const { ask } = await openApi();
  const version = () =>
    ask("GET /api/v1/nodes/lab-controlplane-1").metadata.resourceVersion;
  const before = version();
  assert.equal(version(), before);
});

async function newCa() {
  const key = await generateKey("ECDSA");
  return await createCa({ organizations: ["kubernetes"], key });
}

/** Gives a node other CAs of Kubernetes, as `ApplyConfiguration` does. */
async function give(node: SimulatedNode, cas: TestCas) {
  const text = withCas(machineConfig(node), "cluster", cas);
  await saveConfiguration(node, text);
  await applyLive(node, text);
}

/** Result of a request: `ok`, or the status; 0 for an untrusted server. */
async function outcome(access: KubernetesAccess): Promise<string | number> {
  using kubernetes = openKubernetes(access);
  const { signal } = new AbortController();
  return await kubernetes.request("/api/v1/nodes", { signal })
    .then(() => "ok", ({ code }) => code);
}

Deno.test("the CA of Kubernetes is rotated, and kubeconfigs go with it", async () => {
  await withCluster({}, async (cluster) => {
    const [node] = cluster.nodes;
    assert.ok(node);
    using client = openClient(cluster, "10.5.0.2");
    const kubeconfig = async () =>
      accessIn(await readKubeconfig(client), "kubeconfig");
    const old = node.kubernetes.trust.issuer!; // a control plane has one
    const ca = await newCa();
    const before = await kubeconfig();

    await give(node, { ca: old, accepted: [ca] });
    const both = await kubeconfig();
    assert.equal(both.ca.match(/BEGIN/g)?.length, 2);
    assert.deepEqual([await outcome(before), await outcome(both)], [
      "ok",
      "ok",
    ]);

    await give(node, { ca, accepted: [old] });
    await cluster.settled();
    assert.equal(await outcome(before), 0);
    assert.equal(await outcome({ ...before, ca: both.ca }), "ok");
    const after = await kubeconfig();
    assert.equal(await outcome(after), "ok");

    await give(node, { ca });
    await cluster.settled();
    assert.equal(await outcome(after), "ok");
    assert.equal(await outcome({ ...before, ca: both.ca }), 401);
  });
});

Deno.test("a kubelet whose CA was dropped too early does not report until its node has dropped it, too", async () => {
  const { ask, nodes: [controlPlane, worker] } = await openApi({ workers: 1 });
  const reports = () => isReady(ask("GET /api/v1/nodes/lab-worker-1"));
  assert.ok(controlPlane && worker);
  const old = controlPlane.kubernetes.trust.issuer!;
  const ca = await newCa();
  assert.ok(reports());
  // The server is one that the kubelet does not know.
  await give(controlPlane, { ca, accepted: [old] });
  assert.ok(!reports());
  await give(worker, { ca, accepted: [old] });
  assert.ok(reports());
  // The server does not know the kubelet's certificate any more.
  await give(controlPlane, { ca });
  assert.ok(!reports());
  await give(worker, { ca });
  assert.ok(reports());
});

Deno.test("a kubelet that was never given a certificate reports nothing without an API server", async () => {
  const { ask, nodes: [, worker] } = await openApi({ workers: 1 });
  assert.ok(worker);
  await give(worker, { ca: await newCa() });
  const { items } = ask("GET /api/v1/nodes");
  assert.deepEqual(
    items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    ["lab-controlplane-1"],
  );
});
