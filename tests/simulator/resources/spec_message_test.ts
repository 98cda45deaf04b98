import assert from "node:assert/strict";
import { startCluster } from "../../../simulator/cluster/cluster.ts";
import { protoSpecOf } from "../../../simulator/resources/spec_message.ts";
import { definitionsFor } from "../../../simulator/resources/resource_definitions.ts";

/** Bytes of a spec, in hexadecimal digits. */
const hex = (type: string, spec: unknown) => protoSpecOf(type, spec).toHex();

Deno.test("addresses, networks and words of a spec have the numbers nodes give them", () => {
  const spec = {
    address: "10.0.0.5/24", // 1: NetIPPrefix { ip = 1, prefix_length = 2 }
    local: "10.0.0.5", // 2: NetIP { ip = 1 }
    linkIndex: 8, // 6
    linkName: "eth0", // 7
    family: "inet4", // 8: AF_INET
    scope: "host", // 9: 254
    flags: "permanent", // 10: 0x80
  };
  assert.equal(
    hex("AddressStatuses.net.talos.dev", spec),
    [
      "0a08" + "0a040a000005" + "1018",
      "1206" + "0a040a000005",
      "3008",
      "3a0465746830",
      "4002",
      "48fe01",
      "508001",
    ].join(""),
  );
});

Deno.test("maps, free data, durations, flags and fields out of order are encoded, too", () => {
  assert.equal(
    hex("EtcdSpecs.etcd.talos.dev", {
      listenPeerAddresses: ["::"], // 5
      extraArgs: { a: "b" }, // 4: map
    }),
    "2206" + "0a0161" + "120162" + "2a12" + "0a10" + "00".repeat(16),
  );
  assert.equal(
    hex("StaticPods.kubernetes.talos.dev", { a: [true, null, 1, { b: "c" }] }),
    // Struct { fields = 1: entry { key = 1, value = 2: Value { list_value = 6 { values = 1 } } } }, and of each Value:
    // bool_value = 4, null_value = 1, number_value = 2, struct_value = 5, string_value = 3
    "0a2a" + "0a28" + "0a0161" + "1223" + "3221" + "0a02" + "2001" + "0a02" +
      "0800" + "0a09" + "11000000000000f03f" + "0a0c" + "2a0a" + "0a08" +
      "0a0162" + "1203" + "1a0163",
  );
  assert.equal(
    hex("AdjtimeStatuses.v1alpha1.talos.dev", {
      offset: "-1.5s", // 1: Duration { seconds = 1, nanos = 2 }, both negative
      frequencyAdjustmentRatio: 1, // 2: double
      syncStatus: true, // 7
    }),
    "0a16" + "08ffffffffffffffffff01" + "1080b6ca91feffffffff01" +
      "11000000000000f03f" + "3801",
  );
  assert.equal(
    hex("LinkStatuses.net.talos.dev", {
      flags: "UP,BROADCAST,RUNNING,MULTICAST,LOWER_UP", // 4: 0x11043
      permanentAddr: "52:54:00:00:00:01", // 30
      alias: "net0", // 31
    }),
    "20c3a004" + "f20106525400000001" + "fa01046e657430",
  );
});

Deno.test("specs without keys are single values", () => {
  assert.equal(hex("MachineTypes.config.talos.dev", "worker"), "0803");
  assert.equal(
    hex("MachineConfigs.config.talos.dev", "a: 1\n"),
    "0a05613a20310a",
  );
  assert.equal(hex("Unknown.talos.dev", { a: 1 }), "");
});

Deno.test("secrets are bytes, and an URL is one text", () => {
  assert.equal(
    hex("KubernetesRootSecrets.secrets.talos.dev", {
      endpoint: { scheme: "https", host: "a:1", path: "" }, // 2
      dnsDomain: "d", // 6
      serviceAccount: { key: "AQI=" }, // 8
    }),
    "120d0a0b" + "68747470733a2f2f613a31" + "320164" + "42040a020102",
  );
});

Deno.test("bytes that are shown as numbers are one field, and layers are words", () => {
  assert.equal(
    hex("DiscoveryConfigs.cluster.talos.dev", {
      serviceEndpoint: "a:1", // 4
      serviceEncryptionKey: [1, 2, 255], // 6
    }),
    "2203613a31" + "32030102ff",
  );
  assert.equal(
    hex("LinkSpecs.net.talos.dev", {
      name: "lo", // 1
      up: true, // 3
      layer: "configuration", // 14
    }),
    "0a026c6f" + "1801" + "7004",
  );
});

Deno.test("every resource of a cluster has its message, with a field for each key", async () => {
  const cluster = await startCluster({ controlplanes: 1, workers: 1 });
  try {
    for (const { identity, boot, cluster: { shared } } of cluster.nodes) {
      const shown = new Set<string>(["Namespaces", "ResourceDefinitions"]);
      for (const own of definitionsFor(12).values()) {
        const { type, defaultNamespace: namespace } = own;
        for (const store of [boot.resources, shared]) {
          for (const { id, spec } of store.list({ namespace, type })) {
            shown.add(type.split(".")[0] ?? "");
            if (!(spec instanceof Object)) continue;
            for (const [key, value] of Object.entries(spec)) {
              if (
                value === null || value === "" || isEmpty(value) ||
                unsent.has(key)
              ) continue;
              const bytes = protoSpecOf(type, { [key]: value });
              assert.notEqual(bytes.length, 0, `${type} ${id}: ${key}`);
            }
          }
        }
      }
      const isMember = identity.machineType === "controlplane";
      assert.deepEqual(
        [...always, ...isMember ? onControlPlanes : []].filter((name) =>
          !shown.has(name)
        ),
        [],
      );
    }
  } finally {
    await cluster.stop();
  }
});

/** Types of which every node of a running cluster has resources, that clients read. */
const always = [
  "Members Affiliates MachineConfigs MachineStatuses MachineTypes KubeletSpecs",
  "NodeStatuses NodeAddresses HostnameStatuses VolumeStatuses Disks",
  "DiscoveryConfigs Infos LinkStatuses AddressStatuses RouteStatuses",
  "ResolverStatuses TimeServerStatuses PlatformMetadatas SecurityStates",
  "Services MountStatuses ExtensionStatuses OSRootSecrets ApiCertificates",
  "CertSANs OperatorSpecs LinkSpecs AddressSpecs RouteSpecs ResolverSpecs",
  "TimeServerSpecs HostnameSpecs",
].join(" ").split(" ");

/** The same, of control planes. */
const onControlPlanes = [
  "StaticPodStatuses",
  "KubernetesRootSecrets",
  "Manifests",
  "ManifestStatuses",
];

/** Keys that messages have no field for. */
const unsent = new Set(["skipAutomaticAliases"]);

function isEmpty(value: unknown): boolean {
  return value instanceof Object && Object.keys(value).length === 0;
}
