import assert from "node:assert/strict";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import { loadDocuments } from "../../../config/documents/load.ts";
import {
  defaultContract,
  parseContract,
} from "../../../config/generate/contract.ts";
import { patchText, readPatch } from "../../../config/patch.ts";
import {
  clusterSection,
  machineConfig,
  machineSection,
} from "../../../config/generate/machine_config.ts";
import type {
  ClusterSpec,
  GeneratedRole,
} from "../../../config/generate/machine_options.ts";
import { imagesFor, legibleSecrets } from "./_readable_secrets.ts";

function specFor(version: string): ClusterSpec {
  const contract = parseContract(version);
  return {
    clusterName: "cluster1",
    endpoint: "https://10.5.0.2:6443",
    contract,
    secrets: legibleSecrets(contract),
    ...imagesFor(version),
  };
}

function readExpected(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`./expected/${name}.txt`, import.meta.url));
}

// Versions in between have the configurations of the one before them.
const lookLike = {
  "v1.0": "v1.0",
  "v1.1": "v1.1",
  "v1.2": "v1.2",
  "v1.3": "v1.3",
  "v1.4": "v1.3",
  "v1.5": "v1.5",
  "v1.6": "v1.6",
  "v1.7": "v1.7",
  "v1.8": "v1.8",
  "v1.9": "v1.8",
  "v1.10": "v1.8",
  "v1.11": "v1.8",
  "v1.12": "v1.12",
  "v1.13": "v1.13",
  "v1.14": "v1.14",
};

for (const [version, like] of Object.entries(lookLike)) {
  for (const role of ["controlplane", "worker"] as const) {
    Deno.test(`the ${role} configuration for ${version} is that of ${like}`, async () => {
      const documents = machineConfig(specFor(version), role);
      const text = await readExpected(`${like}-${role}`);
      assert.equal(encodeDocuments(documents), text);
    });
  }
}

Deno.test("an init configuration is that of a control plane but for its type", () => {
  const spec = specFor("v1.12");
  const [init, other] = (["init", "controlplane"] as const).map((role) =>
    encodeDocuments(machineConfig(spec, role))
  );
  assert.equal(init, other?.replace("type: controlplane", "type: init"));
});

Deno.test("generated documents read back without a problem", () => {
  for (const version of Object.keys(lookLike)) {
    const text = encodeDocuments(
      machineConfig(specFor(version), "controlplane"),
    );
    assert.deepEqual(loadDocuments(text, "c.yaml").problems, [], version);
  }
});

Deno.test("mirrors of registries have documents, sorted by host", () => {
  const documents = machineConfig({
    ...specFor("v1.12"),
    registryMirrors: new Map([
      ["ghcr.io", ["https://mirror.example/v2"]],
      ["docker.io", ["http://10.1.1.1:5000", "http://10.1.1.2:5000"]],
    ]),
  }, "worker");
  assert.equal(
    encodeDocuments(documents.slice(1)),
    `apiVersion: v1alpha1
kind: RegistryMirrorConfig
name: docker.io
endpoints:
    - url: http://10.1.1.1:5000
    - url: http://10.1.1.2:5000
---
apiVersion: v1alpha1
kind: RegistryMirrorConfig
name: ghcr.io
endpoints:
    - url: https://mirror.example/v2
---
apiVersion: v1alpha1
kind: HostnameConfig
auto: stable
`,
  );
});

Deno.test("documents of the user follow, numbered on", () => {
  const { documents } = loadDocuments(
    "apiVersion: v1alpha1\nkind: WatchdogTimerConfig\ndevice: /dev/watchdog0\n",
    "w.yaml",
  );
  const made = machineConfig({ ...specFor("v1.12"), documents }, "worker");
  assert.deepEqual(
    made.map(({ kind, number }) => [kind, number]),
    [["v1alpha1", 1], ["HostnameConfig", 2], ["WatchdogTimerConfig", 3]],
  );
});

Deno.test("the same spec gives the same documents", () => {
  const spec = specFor(defaultContract.version);
  assert.deepEqual(
    machineConfig(spec, "worker"),
    machineConfig(spec, "worker"),
  );
});

/** `cluster` as it is written: what is `undefined` is omitted. */
function cluster(
  change: Partial<ClusterSpec> = {},
  { version = "v1.12", role = "controlplane" as GeneratedRole } = {},
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

/** `machine` as it is written: what is `undefined` is omitted. */
function machine(
  change: Partial<ClusterSpec> = {},
  { version = "v1.12", role = "worker" as GeneratedRole } = {},
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

Deno.test("only control planes get the key of the node API's CA", () => {
  assert.deepEqual(machine().ca, { crt: "b3MtY3J0", key: "" });
  assert.deepEqual(machine({}, { role: "controlplane" }).ca, {
    crt: "b3MtY3J0",
    key: "b3Mta2V5",
  });
});

Deno.test("the installation follows disk and image, an empty disk stays empty", () => {
  assert.deepEqual(
    machine({ installDisk: "/dev/vda", installImage: "x/y:z" }).install,
    { disk: "/dev/vda", image: "x/y:z", wipe: false, grubUseUKICmdline: true },
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

/** Version, a patch of what it came with, and the part of the generated configuration with it, as talosctl writes it. */
const additions: readonly (readonly [string, string, string])[] = [
  [
    "v1.13",
    "cluster: {network: {cni: {name: flannel, flannel: {kubeNetworkPoliciesEnabled: true}}}}",
    `        cni:
            name: flannel
            flannel:
                kubeNetworkPoliciesEnabled: true
`,
  ],
  [
    "v1.13",
    "{apiVersion: v1alpha1, kind: UserVolumeConfig, name: data, mount: {secure: true}, provisioning: {minSize: 1GiB, diskSelector: {match: system_disk}}}",
    `---
apiVersion: v1alpha1
kind: UserVolumeConfig
name: data
provisioning:
    diskSelector:
        match: system_disk
    minSize: 1GiB
mount:
    secure: true
`,
  ],
  [
    "v1.14",
    "{apiVersion: v1alpha1, kind: DHCPv4Config, name: eth0, ignoreRoutes: true}",
    `---
apiVersion: v1alpha1
kind: DHCPv4Config
name: eth0
ignoreRoutes: true
`,
  ],
  [
    "v1.14",
    "{apiVersion: v1alpha1, kind: ResolverConfig, nameservers: [{tlsServerName: one.example, protocol: DoT, address: 1.1.1.1}], hostDNS: {enabled: true}}",
    `---
apiVersion: v1alpha1
kind: ResolverConfig
nameservers:
    - address: 1.1.1.1
      protocol: DoT
      tlsServerName: one.example
hostDNS:
    enabled: true
    forwardKubeDNSToHost: true
---
`,
  ],
  [
    "v1.14",
    "{apiVersion: v1alpha1, kind: VolumeConfig, name: STATE, encryption: {allowDiscards: true, provider: luks2, keys: [{nodeID: {}, slot: 0}]}}",
    `---
apiVersion: v1alpha1
kind: VolumeConfig
name: STATE
encryption:
    provider: luks2
    keys:
        - slot: 0
          nodeID: {}
    allowDiscards: true
`,
  ],
  [
    "v1.14",
    "{apiVersion: v1alpha1, kind: TimeSyncConfig, ntp: {useNTS: true, servers: [time.example.org]}}",
    `---
apiVersion: v1alpha1
kind: TimeSyncConfig
ntp:
    servers:
        - time.example.org
    useNTS: true
`,
  ],
  [
    "v1.14",
    "{apiVersion: v1alpha1, kind: DiscoveryIdentityConfig, clusterID: mine}",
    `---
apiVersion: v1alpha1
kind: DiscoveryIdentityConfig
clusterID: mine
clusterSecret: Y2x1c3Rlci1zZWNyZXQ=
---
`,
  ],
  [
    "v1.14",
    "{apiVersion: v1alpha1, kind: KubeAPIServerCAConfig, acceptedCAs: [YQ==]}",
    `---
apiVersion: v1alpha1
kind: KubeAPIServerCAConfig
acceptedCAs:
    - k8s-crt
    - YQ==
---
`,
  ],
];

for (const [version, patch, part] of additions) {
  Deno.test(`a generated configuration for ${version} takes ${patch}`, () => {
    const made = encodeDocuments(machineConfig(specFor(version), "worker"));
    const { text } = patchText(made, "c.yaml", [readPatch(patch, "p.yaml")]);
    assert.ok(text.includes(part), text);
  });
}
