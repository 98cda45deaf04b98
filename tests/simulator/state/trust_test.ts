import assert from "node:assert/strict";
import { createCa } from "../../../pki/ca.ts";
import type { CertificateAuthority } from "../../../pki/certificate.ts";
import { encodePem, pemLabel } from "../../../pki/pem.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import {
  type ClientCredentials,
  clientCredentials,
} from "../../../simulator/state/identities.ts";
import { machineConfig } from "../../../simulator/state/machine_config.ts";
import {
  applyLive,
  saveConfiguration,
} from "../../../simulator/node/live_configuration.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { trustFromOthers } from "../../../simulator/state/node_configuration.ts";
import {
  clusterTrustSpec,
  encodeCertificates,
  noTrust,
  ownTrust,
  sameTrust,
} from "../../../simulator/state/trust.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { bootedNodes, madeNodes } from "../_node.ts";
import { type TestCas, withCas } from "../_rotation.ts";

const organizations = ["os"];

/** Gives a node other CAs of the node API, as `ApplyConfiguration` does. */
async function give(node: SimulatedNode, cas: TestCas) {
  const text = withCas(machineConfig(node), "machine", cas);
  await saveConfiguration(node, text);
  await applyLive(node, text);
}

/** What a call to a node with an identity ends with: `ok`, or the code of its error. */
async function outcome(
  { listening }: RunningCluster,
  address: string,
  identity: ClientCredentials,
  node?: string,
): Promise<string> {
  using client = testClient({
    endpoint: listening.get(address)!,
    identity,
    ...(node === undefined ? {} : { metadata: { node: [node] } }),
  });
  return await client.machine.version({}).then(() => "ok", ({ code }) => code);
}

function believing(
  identity: ClientCredentials,
  ...cas: readonly CertificateAuthority[]
): ClientCredentials {
  const all = cas.map(({ certificate }) =>
    encodePem(pemLabel.certificate, certificate)
  );
  return { ...identity, ca: all.join("") };
}

Deno.test("a CA is rotated: accepted, then issuing, then the old one dropped", async () => {
  await withCluster({ controlplanes: 1, workers: 1 }, async (cluster) => {
    const [controlPlane, worker] = cluster.nodes;
    assert.ok(controlPlane && worker);
    const old = controlPlane.cluster.osCa;
    const ca = await createCa({ organizations });
    const before = await clientCredentials(old, ["os:admin"]);
    const after = await clientCredentials(ca, ["os:admin"]);
    const all = (identity: ClientCredentials) =>
      Promise.all([
        outcome(cluster, "10.5.0.2", identity),
        outcome(cluster, "10.5.0.3", identity),
        outcome(cluster, "10.5.0.2", identity, "10.5.0.3"),
      ]);
    const refused = ["UNAVAILABLE", "UNAVAILABLE", "UNAVAILABLE"];
    const accepted = ["ok", "ok", "ok"];
    assert.deepEqual(await all(believing(after, old)), refused);

    for (const node of [controlPlane, worker]) {
      await give(node, { ca: old, accepted: [ca] });
    }
    assert.deepEqual(await all(before), accepted);
    assert.deepEqual(await all(believing(after, old)), accepted);
    assert.deepEqual(await all(after), refused); // servers are still those of the old one

    for (const node of [controlPlane, worker]) {
      await give(node, { ca, accepted: [old] });
    }
    assert.deepEqual(await all(before), refused);
    assert.deepEqual(await all(after), accepted);
    assert.deepEqual(await all(believing(before, ca)), accepted);

    for (const node of [controlPlane, worker]) await give(node, { ca });
    assert.deepEqual(await all(after), accepted);
    assert.deepEqual(await all(believing(before, ca)), refused);
  });
});

Deno.test("a connection continues while the CAs change", async () => {
  await withCluster({}, async (cluster) => {
    const [node] = cluster.nodes;
    assert.ok(node);
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    await client.machine.version({});
    await give(node, { ca: await createCa({ organizations }) });
    const { messages } = await client.machine.version({});
    assert.equal(messages.length, 1);
  });
});

Deno.test("a worker accepts whom the control plane accepted when it was asked", async () => {
  const [controlPlane, worker] = await bootedNodes({ workers: 1 });
  assert.ok(controlPlane && worker);
  const old = controlPlane.cluster.osCa;
  const ca = await createCa({ organizations });
  // Workers first: what they are given is still the old list.
  await give(worker, { ca: old, accepted: [ca] });
  assert.deepEqual(worker.trust.accepted, [old.certificate]);
  await give(controlPlane, { ca: old, accepted: [ca] });
  assert.deepEqual(controlPlane.trust.accepted, [
    ca.certificate,
    old.certificate,
  ]);
  assert.deepEqual(worker.trust.accepted, [old.certificate]);
  // A change of its own list makes it ask again.
  await give(worker, { ca: old, accepted: [ca] });
  assert.deepEqual(worker.trust.accepted, [ca.certificate, old.certificate]);
});

Deno.test("a worker that trusts no control plane keeps what it had until one comes along", async () => {
  const waits: (() => void)[] = [];
  const clock = {
    now: () => 1_772_366_400_000,
    sleep: (ms: number) =>
      ms === 1_000
        ? new Promise<void>((wake) => waits.push(wake))
        : Promise.resolve(),
  };
  const [controlPlane, worker] = await bootedNodes({ workers: 1, clock });
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
  const [node] = await madeNodes();
  const { ca: { crt = "" } } = clusterTrustSpec(node!.cluster.secrets, "os");
  const { ca: { key = "" } } = clusterTrustSpec(node!.cluster.secrets, "k8s");
  const { issuer, accepted } = await ownTrust({ ca: { crt, key }, others: [] });
  assert.equal(issuer, undefined);
  assert.deepEqual(accepted, [node!.cluster.osCa.certificate]);
});

Deno.test("trust from others needs a control plane with a CA of the worker's list", async () => {
  const [controlPlane, worker] = await madeNodes({ workers: 1 });
  assert.ok(controlPlane && worker);
  const { ca: { crt = "" } } = clusterTrustSpec(worker.cluster.secrets, "os");
  const spec = { ca: { crt }, others: [] };
  assert.equal(trustFromOthers(worker, spec), controlPlane.trust);
  controlPlane.disk.configured = false;
  assert.equal(trustFromOthers(worker, spec), undefined);
});

Deno.test("trust is the same when issuer and accepted CAs are", async () => {
  const [one, other] = await Promise.all([
    createCa({ organizations }),
    createCa({ organizations }),
  ]);
  const trust = { issuer: one, accepted: [one.certificate] };
  assert.ok(sameTrust(trust, { ...trust }));
  assert.ok(!sameTrust(trust, { ...trust, accepted: [other.certificate] }));
  assert.ok(!sameTrust(trust, { ...trust, issuer: undefined }));
  assert.ok(!sameTrust(trust, noTrust));
  assert.equal(
    encodeCertificates([one.certificate, other.certificate]).match(/BEGIN/g)
      ?.length,
    2,
  );
});
