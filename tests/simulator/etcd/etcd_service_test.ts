import assert from "node:assert/strict";
import { startEtcd } from "../../../simulator/etcd/etcd_service.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { serviceHistory, servingNodes } from "./_nodes.ts";

const start = [
  "Starting: Starting service",
  'Waiting: Waiting for service "cri" to be "up"',
  "Preparing: Running pre state",
];

const healthy = "Running: Health check successful";

Deno.test("a service that a fault keeps from starting gets no further until it is off", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  await setFault(node, "etcd-stopped");
  startEtcd(node);
  await node.etcd.instance?.startup;
  assert.deepEqual(serviceHistory(node).slice(8), start);
  await setFault(node, "etcd-stopped", false);
  assert.equal(serviceHistory(node).at(-1), healthy);
});
