import assert from "node:assert/strict";
import { createCa } from "../../../pki/ca.ts";
import { machineConfig } from "../../../simulator/state/machine_config.ts";
import {
  applyLive,
  saveConfiguration,
} from "../../../simulator/node/live_configuration.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { clusterTrustSpec, ownTrust } from "../../../simulator/state/trust.ts";
import { bootNodes, makeNodes } from "../_node.ts";
import { type TestCas, withCas } from "../_rotation.ts";

const organizations = ["os"];

/** Gives a node other CAs of the node API, as `ApplyConfiguration` does. */
async function give(node: SimulatedNode, cas: TestCas) {
  const text = withCas(machineConfig(node), "machine", cas);
  await saveConfiguration(node, text);
  await applyLive(node, text);
}

Deno.test("a worker that trusts no control plane keeps what it had until one comes along", async () => {
  const waits: (() => void)[] = [];
  const clock = {
    now: () => 1_772_366_400_000,
    sleep: (ms: number) =>
      ms === 1_000
        ? new Promise<void>((wake) => waits.push(wake))
        : Promise.resolve(),
  };
  const [controlPlane, worker] = await bootNodes({ workers: 1, clock });
  assert.ok(controlPlane && worker);
  const old = controlPlane.cluster.osCa;
  const ca = await createCa({ organizations });
  await give(worker, { ca });
  assert.deepEqual(worker.trust.issuer?.certificate, old.certificate);
  await give(controlPlane, { ca });
  const renewed = new Promise<void>((resolve) => {
    worker.network = {
      ...worker.network,
      renew: () => Promise.resolve(resolve()),
    };
  });
  waits.forEach((wake) => wake());
  await renewed;
  assert.deepEqual(worker.trust.issuer?.certificate, ca.certificate);
});

Deno.test("a key that is not that of the certificate signs nothing", async () => {
  const [node] = await makeNodes();
  const { ca: { crt = "" } } = clusterTrustSpec(node!.cluster.secrets, "os");
  const { ca: { key = "" } } = clusterTrustSpec(node!.cluster.secrets, "k8s");
  const { issuer, accepted } = await ownTrust({ ca: { crt, key }, others: [] });
  assert.equal(issuer, undefined);
  assert.deepEqual(accepted, [node!.cluster.osCa.certificate]);
});
