/** Intermediate resources that the controllers of a node exchange. */

import type { SimulatedNode } from "../../state/node.ts";
import { runningRelease } from "../../release/release.ts";
import { type NodeResource, resource } from "./content.ts";
import { etcdImage } from "./kubernetes.ts";

const kubernetesNetworks = ["10.244.0.0/16", "10.96.0.0/12"];

/** Intermediate resources of every running node, and those of control planes. */
export function intermediateContents(
  node: SimulatedNode,
): readonly NodeResource[] {
  const all = [
    ...networkContents(),
    ...kubernetesContents(node),
    ...systemContents(node),
  ];
  return node.identity.machineType === "worker"
    ? all
    : [...all, ...controlPlaneContents(node)];
}

function networkContents(): readonly NodeResource[] {
  const filter = (id: string, includeSubnets: string[], exclude: string[]) =>
    resource("NodeAddressFilters.net", id, "k8s.AddressFilterController", {
      includeSubnets,
      excludeSubnets: exclude,
    });
  return [
    resource(
      "EthernetStatuses.net",
      "eth0",
      "network.EthernetStatusController",
      {
        linkState: true,
        port: "Other",
        duplex: "Unknown",
      },
    ),
    ...["tcp", "udp"].map((protocol) =>
      resource(
        "DNSResolveCaches.net",
        `${protocol}-127.0.0.53:53`,
        "network.DNSResolveCacheController",
        { status: "running" },
      )
    ),
    resource(
      "NodeAddressSortAlgorithms.net",
      "default",
      "network.NodeAddressSortAlgorithmController",
      { algorithm: "v1" },
    ),
    filter("no-k8s", [], kubernetesNetworks),
    filter("only-k8s", kubernetesNetworks, []),
  ];
}

function kubernetesContents(node: SimulatedNode): readonly NodeResource[] {
  const { identity: { machineType }, cluster } = node;
  const controlPlanes = cluster.nodes
    .filter(({ identity }) => identity.machineType === "controlplane")
    .map(({ identity }) => identity.address);
  const own = machineType === "controlplane" ? ["localhost"] : [];
  const endpoints = [...controlPlanes, ...own]
    .map((host) => ({ host, port: 6443 }));
  return [
    { type: "KubeletLifecycles.kubernetes", id: "kubelet", spec: {} },
    resource(
      "KubePrismEndpoints.kubernetes",
      "k8s-cluster",
      "k8s.KubePrismEndpointsController",
      { endpoints },
    ),
    resource(
      "KubePrismConfigs.kubernetes",
      "k8s-loadbalancer-config",
      "k8s.KubePrismConfigController",
      { host: "127.0.0.1", port: 7445, endpoints },
    ),
    resource(
      "Endpoints.kubernetes",
      machineType === "controlplane" ? "controlplane" : "discovery",
      "k8s.EndpointController",
      { addresses: controlPlanes, hosts: [] },
    ),
    resource(
      "NodeIPConfigs.kubernetes",
      "kubelet",
      "k8s.NodeIPConfigController",
      { validSubnets: [], excludeSubnets: kubernetesNetworks },
    ),
    resource(
      "StaticPodServerStatuses.kubernetes",
      "static-pod-server-status",
      "k8s.StaticPodServerController",
      { url: "http://127.0.0.1:34513" },
    ),
  ];
}

function systemContents(node: SimulatedNode): readonly NodeResource[] {
  const { kernel, containerd } = runningRelease(node);
  const parts = { kernel, containerd };
  return [
    ...["hostname", "hosts", "resolv.conf"].map((id) =>
      resource("EtcFileStatuses.files", id, "files.EtcFileController", {
        specVersion: "1",
      })
    ),
    { type: "VolumeLifecycles.block", id: "volumes", spec: {} },
    resource(
      "DiscoveryRefreshRequests.block",
      "refresh",
      "block.VolumeManagerController",
      { request: 1 },
    ),
    resource(
      "DiscoveryRefreshStatuses.block",
      "refresh",
      "block.DiscoveryController",
      { request: 1 },
    ),
    resource(
      "UserDiskConfigStatuses.block",
      "user-disks",
      "block.UserDiskConfigController",
      { ready: true, tornDown: true },
    ),
    resource(
      "ImageCacheConfigs.cri",
      "image-cache",
      "cri.ImageCacheConfigController",
      { status: "disabled", copyStatus: "skipped", roots: [] },
    ),
    ...Object.entries(parts).map(([name, version]) =>
      resource("SBOMItems", name, "runtime.SBOMItemController", {
        name,
        version,
        license: name === "kernel" ? "GPL-2.0-only" : "Apache-2.0",
      })
    ),
    resource(
      "APIServiceConfigs.runtime",
      "apid",
      "runtime.APIServiceConfigController",
      {
        listenAddress: ":50000",
        nodeRoutingDisabled: false,
        readonlyRoleMode: false,
        skipVerifyingClientCert: false,
      },
    ),
    resource(
      "Environments.runtime",
      "machined",
      "runtime.EnvironmentController",
      {
        variables: [
          "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
          "TCELL_MINIMIZE=1",
          "XDG_RUNTIME_DIR=/run",
        ],
      },
    ),
  ];
}

function controlPlaneContents(node: SimulatedNode): readonly NodeResource[] {
  const rendered = { ready: true, version: "1" };
  return [
    resource("EtcdConfigs.etcd", "etcd", "etcd.ConfigController", {
      advertiseValidSubnets: [],
      advertiseExcludeSubnets: kubernetesNetworks,
      listenValidSubnets: [],
      listenExcludeSubnets: [],
      image: etcdImage(node),
      extraArgs: {},
    }),
    resource("PKIStatuses.etcd", "etcd", "etcd.PKIController", rendered),
    resource(
      "SecretStatuses.kubernetes",
      "static-pods",
      "k8s.RenderSecretsStaticPodController",
      rendered,
    ),
    resource(
      "ConfigStatuses.kubernetes",
      "static-pods",
      "k8s.RenderConfigsStaticPodController",
      rendered,
    ),
    resource(
      "ExtraManifestsConfigs.kubernetes",
      "extra-manifests",
      "k8s.ControlPlaneExtraManifestsController",
      { extraManifests: [] },
    ),
  ];
}
