import assert from "node:assert/strict";
import { checks } from "../../../workflows/checks/all.ts";

Deno.test("all checks are there by their names, and say what they take", () => {
  assert.deepEqual([...checks.keys()].toSorted(), [
    "ca.allServe",
    "ca.noRotationInProgress",
    "cluster.health",
    "etcd.memberHealthy",
    "etcd.membersEqualControlPlane",
    "etcd.noAlarms",
    "etcd.noMembersAnywhere",
    "etcd.quorum",
    "etcd.servicePreparing",
    "k8s.apiReachable",
    "k8s.componentUpdated",
    "k8s.nodeReady",
    "k8s.nothingRemoved",
    "k8s.object",
    "k8s.upgradePath",
    "node.kubeletHealthy",
    "node.ready",
    "node.services",
    "nodes.allReachable",
    "nodes.membershipUnchanged",
    "nodes.noInitType",
    "nodes.timeInSync",
    "nodes.version",
    "upgrade.imageIdentity",
    "upgrade.kernelArgsKept",
    "upgrade.path",
  ]);
  for (const [name, check] of checks) {
    assert.equal(check.name, name);
    assert.match(check.summary, /^[A-Za-z].*[^.]$/, name);
    assert.equal("node" in check.input, check.scope === "node", name);
  }
});
