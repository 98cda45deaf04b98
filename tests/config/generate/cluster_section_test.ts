import assert from "node:assert/strict";
import { clusterSection } from "../../../config/generate/cluster_section.ts";
import { parseContract } from "../../../config/generate/contract.ts";
import type {
  ClusterSpec,
  MachineRole,
} from "../../../config/generate/machine_spec.ts";
import { legibleSecrets } from "./_legible.ts";

/** `cluster` as it is written: what is `undefined` is left out. */
function cluster(
  change: Partial<ClusterSpec> = {},
  { version = "v1.12", role = "controlplane" as MachineRole } = {},
) {
  const contract = parseContract(version);
  return JSON.parse(JSON.stringify(clusterSection({
    clusterName: "c",
    endpoint: "https://10.5.0.2:6443",
    contract,
    secrets: legibleSecrets(contract),
    ...change,
  }, role)));
}

Deno.test("workers know no key and nothing about control planes", () => {
  assert.deepEqual(cluster({}, { role: "worker" }), {
    id: "cluster-id",
    secret: "Y2x1c3Rlci1zZWNyZXQ=",
    controlPlane: { endpoint: "https://10.5.0.2:6443" },
    clusterName: "c",
    network: {
      dnsDomain: "cluster.local",
      podSubnets: ["10.244.0.0/16"],
      serviceSubnets: ["10.96.0.0/12"],
    },
    token: "aaaaaa.bbbbbbbbbbbbbbbb",
    ca: { crt: "azhzLWNydA==", key: "" },
    discovery: {
      enabled: true,
      registries: { kubernetes: { disabled: true } },
    },
  });
});

Deno.test("domain and discovery are as given", () => {
  const { network, discovery } = cluster({
    dnsDomain: "d.e",
    discovery: false,
  });
  assert.equal(network.dnsDomain, "d.e");
  assert.equal(discovery.enabled, false);
});

Deno.test("further names are for the API server, up to v1.11 behind the endpoint's host", () => {
  const sans = ["a.b", "1.2.3.4"];
  assert.deepEqual(cluster({ sans }).apiServer.certSANs, sans);
  assert.deepEqual(cluster({ sans }, { version: "v1.11" }).apiServer.certSANs, [
    "10.5.0.2",
    ...sans,
  ]);
  const endpoint = "https://[fd00::1]:6443";
  assert.deepEqual(
    cluster({ endpoint }, { version: "v1.8" }).apiServer.certSANs,
    ["fd00::1"],
  );
});

Deno.test("without a version of Kubernetes its parts are empty", () => {
  const { controllerManager, proxy, scheduler, apiServer } = cluster({
    kubernetesVersion: "",
  });
  assert.deepEqual([controllerManager, proxy, scheduler], [{}, {}, {}]);
  assert.equal("image" in apiServer, false);
});

Deno.test("secrets are encrypted with what the bundle has", () => {
  assert.equal(cluster().secretboxEncryptionSecret, "c2VjcmV0Ym94");
  assert.equal("aescbcEncryptionSecret" in cluster(), false);
  const old = cluster({}, { version: "v1.2" });
  assert.equal(old.aescbcEncryptionSecret, "YWVzY2Jj");
  assert.equal("secretboxEncryptionSecret" in old, false);
});
