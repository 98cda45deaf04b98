import assert from "node:assert/strict";
import { healthChecks } from "../../../../workflows/checks/health/all.ts";

Deno.test("conditions of a healthy cluster come in the order in which they make sense", () => {
  assert.deepEqual(
    healthChecks.map(({ name, limitMs }) => [name, limitMs / 60_000]),
    [
      ["etcd to be healthy", 5],
      ["etcd members to be consistent across nodes", 5],
      ["etcd members to be control plane nodes", 5],
      ["apid to be ready", 5],
      ["all nodes memory sizes", 5],
      ["all nodes disk sizes", 5],
      ["no diagnostics", 1],
      ["kubelet to be healthy", 5],
      ["all nodes to finish boot sequence", 5],
      ["all k8s nodes to report", 5],
      ["all control plane static pods to be running", 5],
      ["all control plane components to be ready", 5],
      ["all k8s nodes to report ready", 10],
      ["kube-proxy to report ready", 5],
      ["coredns to report ready", 5],
      ["all k8s nodes to report schedulable", 5],
    ],
  );
});
