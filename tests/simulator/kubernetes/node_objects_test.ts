import assert from "node:assert/strict";
import { isReady } from "../../../simulator/kubernetes/node_objects.ts";
import { stopService } from "../../../simulator/system_services.ts";
import { apiOf } from "./_api.ts";

Deno.test("nodes are as their kubelets report them", async () => {
  const { ask, nodes } = await apiOf({ workers: 1, kubernetes: "1.34.1" });
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
  assert.equal(node.status.nodeInfo.bootID, nodes[1]!.bootId);
  assert.ok(isReady(node));
  const controlPlane = ask("GET /api/v1/nodes/lab-controlplane-1");
  assert.deepEqual(controlPlane.spec.taints, [
    { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
  ]);
});

Deno.test("a node whose kubelet does not report is not ready, until it does", async () => {
  const { ask, nodes } = await apiOf({ workers: 1 });
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
  nodes[1]!.services.get("kubelet")!.state = "Running";
  assert.ok(isReady(ask("GET /api/v1/nodes/lab-worker-1")));
});

Deno.test("a closed node has the taint that says so, and loses it when opened", async () => {
  const { ask } = await apiOf({ workers: 1 });
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
  const { ask } = await apiOf();
  const version = () =>
    ask("GET /api/v1/nodes/lab-controlplane-1").metadata.resourceVersion;
  const before = version();
  assert.equal(version(), before);
});
