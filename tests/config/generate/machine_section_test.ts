import assert from "node:assert/strict";
import { parseContract } from "../../../config/generate/contract.ts";
import { machineSection } from "../../../config/generate/machine_section.ts";
import type {
  ClusterSpec,
  MachineRole,
} from "../../../config/generate/machine_spec.ts";
import { legibleSecrets } from "./_legible.ts";

/** `machine` as it is written: what is `undefined` is left out. */
function machine(
  change: Partial<ClusterSpec> = {},
  { version = "v1.12", role = "worker" as MachineRole } = {},
) {
  const contract = parseContract(version);
  return JSON.parse(JSON.stringify(machineSection({
    clusterName: "c",
    endpoint: "https://10.5.0.2:6443",
    contract,
    secrets: legibleSecrets(contract),
    ...change,
  }, role)));
}

Deno.test("only control planes get the key of the node API's authority", () => {
  assert.deepEqual(machine().ca, { crt: "b3MtY3J0", key: "" });
  assert.deepEqual(machine({}, { role: "controlplane" }).ca, {
    crt: "b3MtY3J0",
    key: "b3Mta2V5",
  });
});

Deno.test("the installation follows disk and image, an empty disk stays empty", () => {
  assert.deepEqual(
    machine({ installDisk: "/dev/vda", installImage: "x/y:z" }).install,
    {
      disk: "/dev/vda",
      image: "x/y:z",
      wipe: false,
      grubUseUKICmdline: true,
    },
  );
  assert.equal(machine({ installDisk: "" }).install.disk, "");
});

Deno.test("further names are for the certificates of the node", () => {
  assert.deepEqual(machine({ sans: ["a.b", "1.2.3.4"] }).certSANs, [
    "a.b",
    "1.2.3.4",
  ]);
});

Deno.test("KubeSpan is switched on where the network is configured", () => {
  assert.deepEqual(machine({ kubespan: true }).network, {
    kubespan: { enabled: true },
  });
  assert.deepEqual(machine().network, {});
});

Deno.test("without a version of Kubernetes the kubelet has no image", () => {
  assert.equal(
    machine({ kubernetesVersion: "1.31.0" }).kubelet.image,
    "ghcr.io/siderolabs/kubelet:v1.31.0",
  );
  assert.equal("image" in machine({ kubernetesVersion: "" }).kubelet, false);
});

Deno.test("mirrors are part of the section until they have documents", () => {
  const registryMirrors = new Map([["docker.io", ["http://10.1.1.1:5000"]]]);
  assert.equal("registries" in machine({ registryMirrors }), false);
  assert.deepEqual(
    machine({ registryMirrors }, { version: "v1.11" }).registries,
    {
      mirrors: { "docker.io": { endpoints: ["http://10.1.1.1:5000"] } },
    },
  );
});

Deno.test("a mirror of the former registry takes the place of the usual one", () => {
  const given = new Map([["k8s.gcr.io", ["http://a"]]]);
  const version = "v1.2";
  assert.deepEqual(machine({}, { version }).registries.mirrors, {
    "k8s.gcr.io": {
      endpoints: ["https://registry.k8s.io", "https://k8s.gcr.io"],
    },
  });
  assert.deepEqual(
    machine({ registryMirrors: given }, { version }).registries.mirrors,
    {
      "k8s.gcr.io": { endpoints: ["http://a"] },
    },
  );
});
