import assert from "node:assert/strict";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { parse } from "yaml";
import { domain } from "../../../talos.ts";
import { startCluster } from "../../../simulator/cluster/cluster.ts";
import { machineConfig } from "../../../simulator/state/machine_config.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { applyLive } from "../../../simulator/node/live_configuration.ts";
import { encodeSpec } from "../../../simulator/resources/spec_message.ts";
import { definitionsFor } from "../../../simulator/resources/resource_definitions.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

/** Bytes of a spec, in hexadecimal digits. */
const hex = (type: string, spec: unknown) => encodeSpec(type, spec).toHex();

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
              const bytes = encodeSpec(type, { [key]: value });
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

Deno.test("encodeSpec: clients decode content and a message with the right field numbers", async () => {
  await withCluster({ controlplanes: 1, workers: 0 }, async (cluster) => {
    const { endpoints, adminIdentity, nodes: [node] } = cluster;
    using client = testClient({
      endpoint: endpoints[0]!,
      identity: adminIdentity,
    });
    // Fields that a healthy node leaves empty.
    await setFault(node!, "address-overlap");
    await client.machine.metaWrite({
      key: 10,
      value: new TextEncoder().encode("hello"),
    });
    const tunnel = "apiVersion: v1alpha1\nkind: SideroLinkConfig\n" +
      "apiUrl: grpc://10.0.0.9:8081?jointoken=x\n";
    await applyLive(node!, `${machineConfig(node!)}---\n${tunnel}`);
    for (const [name, fields] of Object.entries(decodedTypes)) {
      const [, short = "", namespace = ""] = /^(.*) in (.*)$/.exec(name)!;
      const type = `${short}.${namespace === "meta" ? "cosi.dev" : domain}`;
      const numbers = new Map(
        fields.split(" ").map((field) => {
          const [key = "", number] = field.split("=");
          return [key, Number(number)];
        }),
      );
      let found = 0;
      for await (const { resource } of client.state.list({ namespace, type })) {
        const { yamlSpec, protoSpec } = resource!.spec!;
        found++;
        const shown = new Set<number>();
        for (const [key, value] of listKeys(parse(yamlSpec), fields)) {
          const number = numbers.get(key);
          assert.ok(number, `${name}: ${key} has no number`);
          const own = encodeSpec(type, key === "@" ? value : { [key]: value });
          assert.deepEqual(fieldsIn(own), new Set([number]), `${name}: ${key}`);
          shown.add(number);
        }
        // Nothing is sent that is not shown, and the other way around.
        assert.deepEqual(fieldsIn(protoSpec), shown, name);
      }
      assert.notEqual(found, 0, `${name} has no content`);
    }
  });
});

/** Keys of a spec that have a value, and the value; a spec without keys is one value. */
function listKeys(spec: unknown, fields: string): readonly [string, unknown][] {
  const all: [string, unknown][] = fields === "@=1"
    ? [["@", spec]]
    : Object.entries(Object(spec));
  return all.filter(([key, value]) =>
    value !== null && value !== "" && !isEmpty(value) && !unsent.has(key)
  );
}

/** Numbers of the fields of a message. */
function fieldsIn(bytes: Uint8Array): ReadonlySet<number> {
  const reader = new BinaryReader(bytes);
  const numbers = new Set<number>();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    numbers.add(number);
    reader.skip(wireType);
  }
  return numbers;
}

/** Keys and numbers of the types that clients decode, as nodes of v1.12 register them; `@` is a spec without keys. */
const decodedTypes: Readonly<Record<string, string>> = {
  "ResourceDefinitions.meta in meta":
    "type=1 displayType=2 defaultNamespace=3 aliases=4 allAliases=5 printColumns=6 sensitivity=7",
  "Members.cluster in cluster":
    "nodeId=1 addresses=2 hostname=3 machineType=4 operatingSystem=5 controlPlane=6",
  "Affiliates.cluster in cluster":
    "nodeId=1 addresses=2 hostname=3 nodename=4 operatingSystem=5 machineType=6 kubespan=7 controlPlane=8",
  "DiscoveryConfigs.cluster in config":
    "discoveryEnabled=1 registryKubernetesEnabled=2 registryServiceEnabled=3 serviceEndpoint=4 serviceEndpointInsecure=5 serviceEncryptionKey=6 serviceClusterID=7",
  "Infos.cluster in cluster": "clusterId=1 clusterName=2",
  "MachineConfigs.config in config": "@=1",
  "MachineTypes.config in config": "@=1",
  "MachineStatuses.runtime in runtime": "stage=1 status=2",
  "KubeletSpecs.kubernetes in k8s":
    "image=1 args=2 extraMounts=3 expectedNodename=4 config=5 credentialProviderConfig=6",
  "StaticPodStatuses.kubernetes in k8s": "@=1",
  "NodeStatuses.kubernetes in k8s":
    "nodename=1 nodeReady=2 unschedulable=3 labels=4 annotations=5 podCIDRs=6",
  "NodeAddresses.net in network": "addresses=1 sortAlgorithm=2",
  "HostnameStatuses.net in network": "hostname=1 domainname=2",
  "VolumeStatuses.block in runtime":
    "phase=1 location=2 errorMessage=3 uuid=4 partitionUUID=5 preFailPhase=6 parentLocation=7 partitionIndex=8 size=9 filesystem=10 mountLocation=11 encryptionProvider=12 prettySize=13 encryptionFailedSyncs=14 mountSpec=15 type=16 configuredEncryptionKeys=17 symlink=18 parentID=19 encryptionLockedToState=20 encryptionSlot=21 tpmEncryptionOptions=22",
  "Disks.block in runtime":
    "size=1 io_size=2 sector_size=3 readonly=4 model=5 serial=6 modalias=7 wwid=8 bus_path=9 sub_system=10 transport=11 rotational=12 cdrom=13 dev_path=14 pretty_size=15 secondary_disks=16 uuid=17 symlinks=18",
  "Diagnostics.runtime in runtime": "message=1 details=2",
  "LinkStatuses.net in network":
    "index=1 type=2 linkIndex=3 flags=4 hardwareAddr=5 broadcastAddr=6 mtu=7 queueDisc=8 masterIndex=9 operationalState=10 kind=11 slaveKind=12 busPath=13 pciID=14 driver=15 driverVersion=16 firmwareVersion=17 productID=18 vendorID=19 product=20 vendor=21 linkState=22 speedMbit=23 port=24 duplex=25 permanentAddr=30 alias=31 altNames=32",
  "AddressStatuses.net in network":
    "address=1 local=2 broadcast=3 anycast=4 multicast=5 linkIndex=6 linkName=7 family=8 scope=9 flags=10 priority=11",
  "RouteStatuses.net in network":
    "family=1 dst=2 src=3 gateway=4 outLinkIndex=5 outLinkName=6 table=7 priority=8 scope=9 type=10 flags=11 protocol=12 mtu=13",
  "ResolverStatuses.net in network": "dnsServers=1 searchDomains=2",
  "TimeServerStatuses.net in network": "timeServers=1",
  "PlatformMetadatas in runtime":
    "platform=1 hostname=2 region=3 zone=4 instanceType=5 instanceId=6 providerId=7 spot=8 internalDNS=9 externalDNS=10 tags=11",
  "SecurityStates in runtime":
    "secureBoot=1 ukiSigningKeyFingerprint=2 pcrSigningKeyFingerprint=3 selinuxState=4 bootedWithUKI=5 fipsState=6 moduleSignatureEnforced=7",
  "MetaKeys.runtime in runtime": "value=1",
  "SiderolinkStatuses.siderolink in config":
    "host=1 connected=2 linkName=3 grpcTunnel=4",
  "Services.v1alpha1 in runtime": "running=1 healthy=2 unknown=3",
  "MountStatuses.runtime in runtime":
    "source=1 target=2 filesystemType=3 options=4 encrypted=5 encryptionProviders=6",
  "MountStatuses.block in runtime":
    "spec=1 target=2 source=3 filesystem=4 readOnly=5 projectQuotaSupport=6 encryptionProvider=7 detached=8",
  "ExtensionStatuses.runtime in runtime": "image=1 metadata=2",
  "OSRootSecrets.secrets in secrets":
    "issuingCA=1 certSANIPs=2 certSANDNSNames=3 token=4 acceptedCAs=5",
  "KubernetesRootSecrets.secrets in secrets":
    "name=1 endpoint=2 local_endpoint=3 certSANs=4 dnsDomain=6 issuingCA=7 serviceAccount=8 aggregatorCA=9 aesCBCEncryptionSecret=10 bootstrapTokenID=11 bootstrapTokenSecret=12 secretboxEncryptionSecret=13 apiServerIPs=14 acceptedCAs=15",
  "ApiCertificates.secrets in secrets": "client=2 server=3 acceptedCAs=4",
  "CertSANs.secrets in secrets": "ips=1 dnsNames=2 fqdn=3",
  "ManifestStatuses.kubernetes in controlplane": "manifestsApplied=1",
  "OperatorSpecs.net in network":
    "operator=1 linkName=2 requireUp=3 dhcp4=4 dhcp6=5 vip=6 layer=7",
};

/** Keys that messages have no field for. */
const unsent = new Set(["skipAutomaticAliases"]);

function isEmpty(value: unknown): boolean {
  return value instanceof Object && Object.keys(value).length === 0;
}
