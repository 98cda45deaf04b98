import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import { machineConfig } from "../../../simulator/state/machine_config.ts";
import { madeNodes } from "../_node.ts";

Deno.test("a machine configuration is two documents that fit the node", async () => {
  const [controlPlane, worker] = await madeNodes({ workers: 1 });
  const [main, hostname] = parseAllDocuments(machineConfig(worker!)).map((
    document,
  ) => document.toJS());
  assert.equal(main.machine.type, "worker");
  assert.equal(main.cluster.controlPlane.endpoint, "https://10.5.0.2:6443");
  assert.deepEqual(hostname, {
    apiVersion: "v1alpha1",
    kind: "HostnameConfig",
    hostname: "lab-worker-1",
    auto: "off",
  });
  assert.equal(main.machine.ca.key, "");
  const [own] = parseAllDocuments(machineConfig(controlPlane!)).map((
    document,
  ) => document.toJS());
  assert.match(
    atob(own.machine.ca.key),
    /^-----BEGIN ED25519 PRIVATE KEY-----/,
  );
});
