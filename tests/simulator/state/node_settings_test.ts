import assert from "node:assert/strict";
import { loadDocuments } from "../../../config/documents/load.ts";
import { settingsIn } from "../../../simulator/state/node_settings.ts";

function read(text: string) {
  return settingsIn(loadDocuments(text, "config.yaml").documents);
}

const old = `
machine:
  type: worker
  sysctls: {vm.nr_hugepages: "8"}
  nodeLabels: {rack: "7"}
  nodeTaints: {gpu: NoSchedule}
  time: {servers: [time.example.org]}
  network: {hostname: web.example.org, nameservers: [10.0.0.53], searchDomains: [example.net]}
  kubelet: {clusterDNS: [10.99.0.10], extraArgs: {v: 4}, extraConfig: {maxPods: 250}}
  registries: {mirrors: {docker.io: {endpoints: ["https://mirror.example.org"]}}}
  pods: [{metadata: {name: proxy}, spec: {hostNetwork: true}}]
cluster:
  inlineManifests: [{name: apps, contents: "kind: Namespace"}]
`;

const split = `
machine: {type: worker}
---
{apiVersion: v1alpha1, kind: SysctlConfig, params: {vm.nr_hugepages: "8"}}
---
{apiVersion: v1alpha1, kind: KubeNodeConfig, labels: {rack: "7"}, taints: {gpu: NoSchedule}}
---
{apiVersion: v1alpha1, kind: TimeSyncConfig, ntp: {servers: [time.example.org]}}
---
{apiVersion: v1alpha1, kind: HostnameConfig, hostname: web.example.org, auto: off}
---
{apiVersion: v1alpha1, kind: ResolverConfig, nameservers: [{address: 10.0.0.53}], searchDomains: {domains: [example.net]}}
---
{apiVersion: v1alpha1, kind: KubeletConfig, clusterDNS: [10.99.0.10], extraArgs: {v: 4}, config: {maxPods: 250}}
---
{apiVersion: v1alpha1, kind: RegistryMirrorConfig, name: docker.io, endpoints: [{url: "https://mirror.example.org"}]}
---
{apiVersion: v1alpha1, kind: KubeStaticPodConfig, name: proxy, pod: {metadata: {name: proxy}, spec: {hostNetwork: true}}}
---
{apiVersion: v1alpha1, kind: KubeInlineManifestConfig, name: apps, contents: "kind: Namespace"}
`;

Deno.test("documents of their own set the same as the main document", () => {
  assert.deepEqual(read(split), read(old));
  assert.deepEqual(read(old), {
    domainName: "example.org",
    kernelParameters: { "proc.sys.vm.nr_hugepages": "8" },
    nameServers: ["10.0.0.53"],
    searchDomains: ["example.net"],
    searchesOwnDomain: true,
    timeServers: ["time.example.org"],
    timeSyncDisabled: false,
    labels: { rack: "7" },
    annotations: {},
    taints: { gpu: "NoSchedule" },
    resolvesMembers: false,
    schedulesOnControlPlanes: false,
    mirrors: {
      "docker.io": {
        endpoints: [{
          endpoint: "https://mirror.example.org",
          overridePath: false,
        }],
      },
    },
    kubelet: {
      extraArgs: { v: ["4"] },
      extraConfig: { maxPods: 250 },
      clusterDns: ["10.99.0.10"],
    },
    tunnelEndpoint: undefined,
    splitsApiServer: false,
    etcdEncryption: {},
    pods: [{ metadata: { name: "proxy" }, spec: { hostNetwork: true } }],
    inlineManifests: { apps: "kind: Namespace" },
    addresses: [],
    gateway: undefined,
    dhcp: true,
  });
});
