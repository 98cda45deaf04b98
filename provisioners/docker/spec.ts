/** Cluster of containers: specification, and settings of its network and containers. */

// @ts-types="@types/dockerode"
import type Docker from "dockerode";
import { addressAt } from "../../lib/ip.ts";
import { containerPlatform, skuVariable } from "../../talos.ts";

type NetworkSettings = Docker.NetworkCreateOptions;

type ContainerSettings = Docker.ContainerCreateOptions;

/** One node. */
export interface ContainerNode {
  readonly name: string;
  readonly type: "controlplane" | "worker";
  /** IPv4 address in the network. */
  readonly ip: string;
  /** CPU limit in billionths of a CPU. */
  readonly nanocpus: number;
  /** Memory in bytes. */
  readonly memory: number;
}

/** A published port of a container. */
export interface PortMapping {
  /** Host address to listen on. */
  readonly hostIp: string;
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: "tcp" | "udp";
}

/** Mount of a host path or volume. */
export type ContainerMount = Docker.MountSettings;

/** Specification of a cluster of containers. */
export interface ContainerSpec {
  readonly image: string;
  /** Subnet of the nodes, in CIDR notation. */
  readonly subnet: string;
  /** MTU in bytes. */
  readonly mtu: number;
  readonly ipv6: boolean;
  /** Ports to publish on every control plane. */
  readonly ports: readonly PortMapping[];
  readonly mounts: readonly ContainerMount[];
  /** False only for engines without privileged containers; real nodes need it. */
  readonly privileged: boolean;
  /** Nodes, control planes first. */
  readonly nodes: readonly ContainerNode[];
}

/** Published ports of the control planes on the engine's host. */
export interface HostPorts {
  /** Host of the ports, as in a URL; `127.0.0.1` unless the engine is remote. */
  readonly host: string;
  /** Port of the node API of each control plane. */
  readonly api: readonly number[];
  /** Port of the Kubernetes API of the first control plane. */
  readonly kubernetes: number;
}

/** Labels of all objects of a cluster; the same as talosctl's, so that each can destroy clusters of the other. */
export const labels = {
  owned: "talos.owned",
  cluster: "talos.cluster.name",
  type: "talos.type",
} as const;

/** Label filters for the containers and networks of a cluster. */
export function labelFilters(cluster: string): { label: string[] } {
  return { label: [`${labels.owned}=true`, `${labels.cluster}=${cluster}`] };
}

/** Port of the Kubernetes API. */
export const kubernetesPort = 6443;

/** Port of the node API. */
export const apiPort = 50_000;

const memoryFolders = ["/run", "/system", "/tmp"];

/** Folders in anonymous volumes, kept across restarts and removed with the container. */
const volumeFolders = [
  "/var",
  "/system/state",
  "/etc/cni",
  "/etc/kubernetes",
  "/usr/libexec/kubernetes",
  "/opt",
];

/** Settings of a cluster's network. */
export function networkSettings(
  cluster: string,
  { subnet, mtu }: ContainerSpec,
): NetworkSettings {
  return {
    Name: cluster,
    CheckDuplicate: true,
    Labels: { [labels.owned]: "true", [labels.cluster]: cluster },
    IPAM: {
      Driver: "default",
      // The given subnet may start with another address than its first.
      Config: [{ Subnet: subnet, Gateway: addressAt(subnet, 1) }],
    },
    Options: { [mtuOption]: String(mtu) },
  };
}

/** Network option for the MTU. */
export const mtuOption = "com.docker.network.driver.mtu";

/** Settings of a node's container. */
export function containerSettings(
  cluster: string,
  node: ContainerNode,
  { spec, ports, configuration }: {
    readonly spec: ContainerSpec;
    readonly ports: HostPorts;
    readonly configuration: string;
  },
): ContainerSettings {
  const bindings = listPorts(node, spec, ports);
  const userdata = new TextEncoder().encode(configuration).toBase64();
  return {
    name: node.name,
    Hostname: node.name,
    Image: spec.image,
    Env: [
      `PLATFORM=${containerPlatform}`,
      `${skuVariable}=${Math.floor(node.nanocpus / 1e9)}CPU-${
        Math.floor(node.memory / 2 ** 20)
      }RAM`,
      `USERDATA=${userdata}`,
    ],
    Labels: {
      [labels.owned]: "true",
      [labels.cluster]: cluster,
      [labels.type]: node.type,
    },
    ExposedPorts: Object.fromEntries(
      bindings.map(({ containerPort, protocol }) => [
        `${containerPort}/${protocol}`,
        {},
      ]),
    ),
    HostConfig: {
      Privileged: spec.privileged,
      SecurityOpt: ["seccomp:unconfined"],
      ReadonlyRootfs: true,
      NanoCpus: node.nanocpus,
      Memory: node.memory,
      ...spec.ipv6
        ? { Sysctls: { "net.ipv6.conf.all.disable_ipv6": "0" } }
        : {},
      Mounts: [
        ...memoryFolders.map((Target) => ({
          Type: "tmpfs" as const,
          Target,
          Source: "",
        })),
        ...volumeFolders.map((Target) => ({
          Type: "volume" as const,
          Target,
          Source: "",
        })),
        ...spec.mounts,
      ],
      PortBindings: toBindings(bindings),
    },
    NetworkingConfig: {
      EndpointsConfig: {
        [cluster]: { IPAMConfig: { IPv4Address: node.ip } },
      },
    },
  };
}

/** Published ports of a node; ports given by the user apply to every control plane. */
function listPorts(
  node: ContainerNode,
  spec: ContainerSpec,
  ports: HostPorts,
): readonly PortMapping[] {
  if (node.type !== "controlplane") return [];
  const index = spec.nodes.indexOf(node);
  // On other systems the engine runs in a virtual machine with its own loopback.
  const isNear = Deno.build.os === "linux" && ports.host === "127.0.0.1";
  const own = { hostIp: isNear ? "127.0.0.1" : "", protocol: "tcp" } as const;
  const api = ports.api[index];
  return [
    ...api === undefined
      ? []
      : [{ ...own, hostPort: api, containerPort: apiPort }],
    ...index === 0
      ? [{ ...own, hostPort: ports.kubernetes, containerPort: kubernetesPort }]
      : [],
    ...spec.ports,
  ];
}

function toBindings(mappings: readonly PortMapping[]): Docker.PortMap {
  const found: Record<string, { HostIp: string; HostPort: string }[]> = {};
  for (const { hostIp, hostPort, containerPort, protocol } of mappings) {
    const key = `${containerPort}/${protocol}`;
    found[key] = [
      ...found[key] ?? [],
      { HostIp: hostIp, HostPort: String(hostPort) },
    ];
  }
  return found;
}
