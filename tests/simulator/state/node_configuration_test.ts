import assert from "node:assert/strict";
import { machineConfig } from "../../../simulator/state/machine_config.ts";
import {
  configure,
  findTrust,
} from "../../../simulator/state/node_configuration.ts";
import { madeNodes } from "../_node.ts";

Deno.test("a configuration decides what a node is and whom it trusts", async () => {
  const [ours, theirs] = await Promise.all([
    madeNodes({ unconfigured: () => true }),
    madeNodes({ workers: 1 }),
  ]);
  const [node] = ours;
  const [controlPlane, worker] = theirs;
  assert.ok(node && controlPlane && worker);
  await configure(node, machineConfig(controlPlane));
  assert.equal(node.disk.configured, true);
  assert.equal(node.identity.machineType, "controlplane");
  assert.deepEqual(
    node.trust.issuer?.certificate,
    controlPlane.cluster.osCa.certificate,
  );
  await configure(node, machineConfig(worker));
  assert.equal(node.identity.machineType, "worker");
});

Deno.test("a worker knows the CA once a control plane with its key is there", async () => {
  const [ours, theirs] = await Promise.all([
    madeNodes({ workers: 1, unconfigured: () => true }),
    madeNodes({ workers: 1 }),
  ]);
  const [first, second] = ours;
  const [controlPlane, worker] = theirs;
  assert.ok(first && second && controlPlane && worker);
  await configure(second, machineConfig(worker));
  assert.equal(second.trust.issuer, undefined);
  await configure(first, machineConfig(controlPlane));
  assert.deepEqual(
    (await findTrust(second))?.issuer?.certificate,
    controlPlane.cluster.osCa.certificate,
  );
});
