import assert from "node:assert/strict";
import { startCluster } from "../../../../simulator/cluster/cluster.ts";
import { machineConfig } from "../../../../simulator/state/machine_config.ts";
import { applyLive } from "../../../../simulator/node/live_configuration.ts";
import type { SimulatedNode } from "../../../../simulator/state/node.ts";
import {
  apiCertificates,
  secretContents,
} from "../../../../simulator/node/contents/secrets.ts";
import { bootedNodes } from "../../_node.ts";

/** Specs of a node's secrets by their types. */
function secretsOf(node: SimulatedNode): Record<string, unknown> {
  return Object.fromEntries(
    secretContents(node).map(({ type, spec }) => [type.split(".")[0], spec]),
  );
}

Deno.test("control planes have the roots of both interfaces, workers the certificate of one", async () => {
  const [controlPlane, worker] = await bootedNodes({ workers: 1 });
  const { certs, trustdInfo, secrets } = controlPlane!.cluster.secrets;
  const all = secretsOf(controlPlane!);
  assert.deepEqual(all.OSRootSecrets, {
    issuingCA: certs.os,
    acceptedCAs: [{ crt: certs.os.crt }],
    certSANIPs: [],
    certSANDNSNames: [],
    token: trustdInfo.token,
  });
  const { endpoint, bootstrapTokenID, bootstrapTokenSecret, aggregatorCA } = all
    .KubernetesRootSecrets as Record<string, unknown>;
  assert.equal(
    (endpoint as { host: string }).host,
    `${controlPlane!.identity.address}:6443`,
  );
  assert.equal(
    `${bootstrapTokenID}.${bootstrapTokenSecret}`,
    secrets.bootstrapToken,
  );
  assert.deepEqual(aggregatorCA, certs.k8sAggregator);
  const few = secretsOf(worker!);
  assert.deepEqual(Object.keys(few), ["OSRootSecrets", "CertSANs"]);
  const { issuingCA, acceptedCAs } = few.OSRootSecrets as Record<
    string,
    unknown
  >;
  assert.deepEqual([issuingCA, acceptedCAs], [null, [{ crt: certs.os.crt }]]);
  const client = { certificate: "crt", key: "key" };
  const { spec } = apiCertificates(worker!, { server: client, client });
  assert.deepEqual((spec as { client: unknown }).client, {
    crt: "Y3J0",
    key: "a2V5",
  });
});

Deno.test("a control plane of v1.14 shows who signs for its service accounts, and how etcd is encrypted", async () => {
  const [node] = await bootedNodes({ release: { tag: "v1.14.0-rc.1" } });
  const { certs, secrets } = node!.cluster.secrets;
  const {
    issuerURL,
    apiAudiences,
    acceptedAggregatorCAs,
    serviceAccountAcceptedKeys,
    etcdEncryptionConfig,
  } = secretsOf(node!).KubernetesRootSecrets as Record<string, unknown>;
  const endpoint = `https://${node!.identity.address}:6443`;
  assert.deepEqual([issuerURL, apiAudiences], [endpoint, [endpoint]]);
  assert.deepEqual(acceptedAggregatorCAs, [{ crt: certs.k8sAggregator.crt }]);
  const [{ key }] = serviceAccountAcceptedKeys as [{ key: string }];
  assert.match(atob(key), /^-----BEGIN PUBLIC KEY-----\n/);
  assert.deepEqual(etcdEncryptionConfig, {
    resources: [{
      providers: [{
        secretbox: {
          keys: [{ name: "key2", secret: secrets.secretboxEncryptionSecret }],
        },
      }],
      resources: ["secrets"],
    }],
  });
});

Deno.test("names in certificates follow the configuration", async () => {
  const [node] = await bootedNodes();
  const text = machineConfig(node!);
  const given = text.replace(/certSANs: \[\]/, "certSANs: [a.test, 10.9.9.9]");
  assert.notEqual(given, text);
  await applyLive(node!, given);
  const { ips, dnsNames } = secretsOf(node!).CertSANs as Record<
    string,
    unknown
  >;
  const { address, hostname } = node!.identity;
  assert.deepEqual(ips, ["10.9.9.9", address]);
  assert.deepEqual(dnsNames, ["a.test", hostname]);
});

Deno.test("a node that listens shows its certificate, and a control plane one to speak for its clients", async () => {
  const cluster = await startCluster({ workers: 1 });
  try {
    const clients = cluster.nodes.map(({ boot: { resources } }) => {
      const type = "ApiCertificates.secrets.talos.dev";
      const found = resources.get({ namespace: "secrets", type, id: "api" });
      const { server, client } = found!.spec as Record<string, unknown>;
      assert.ok(server);
      return client === null ? "none" : "one";
    });
    assert.deepEqual(clients, ["one", "none"]);
  } finally {
    await cluster.stop();
  }
});
