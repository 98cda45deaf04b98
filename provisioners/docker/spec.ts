/** What a cluster of containers is made of, and the settings of its network and containers. */

// @ts-types="@types/dockerode"
import type Docker from "dockerode";
import { addressAt } from "../../lib/ip.ts";
import { containerPlatform, skuVariable } from "../../talos.ts";

type NetworkSettings = Docker.NetworkCreateOptions;

type ContainerSettings = Docker.ContainerCreateOptions;

/** One node. */
export interface ContainerNode {
  /** Name of the container, and host name. */
  readonly name: string;
  readonly type: "controlplane" | "worker";
  /** IPv4 address in the network. */
  readonly ip: string;
  /** Share of processors, in billionths of one. */
  readonly nanocpus: number;
  /** Memory in bytes. */
  readonly memory: number;
}

/** A port of a container that the host has, too. */
export interface PortMapping {
  /** Address of the host it listens on. */
  readonly hostIp: string;
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: "tcp" | "udp";
}

/** What a container sees of the host, or of a volume. */
export type ContainerMount = Docker.MountSettings;

/** What a cluster of containers is made of. */
export interface ContainerSpec {
  readonly image: string;
  /** Subnet of the nodes, in CIDR notation. */
  readonly subnet: string;
  /** Largest packet in bytes. */
  readonly mtu: number;
  readonly ipv6: boolean;
  /** Ports of every control plane. */
  readonly ports: readonly PortMapping[];
  readonly mounts: readonly ContainerMount[];
  /** False only where an engine cannot start privileged containers; real nodes need it. */
  readonly privileged: boolean;
  /** Nodes, control planes first. */
  readonly nodes: readonly ContainerNode[];
}

/** Ports of the engine's machine that lead to the control planes. */
export interface HostPorts {
  /** Where this machine reaches them, as in a URL; `127.0.0.1` unless the engine is on another machine. */
  readonly host: string;
  /** To the node API of each control plane. */
  readonly api: readonly number[];
  /** To the Kubernetes API of the first. */
  readonly kubernetes: number;
}

/** Labels by which everything of a cluster is found; talosctl's, so that each can destroy what the other made. */
export const labels = {
  owned: "talos.owned",
  cluster: "talos.cluster.name",
  type: "talos.type",
} as const;

/** What finds the containers and networks of a cluster. */
export function labelFilters(cluster: string): { label: string[] } {
  return { label: [`${labels.owned}=true`, `${labels.cluster}=${cluster}`] };
}

/** Port of the Kubernetes API. */
export const kubernetesPort = 6443;

/** Port of the node API. */
export const apiPort = 50_000;

const memoryFolders = ["/run", "/system", "/tmp"];

/** Folders that outlive a restart of the container, and go with it. */
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
      // As typed, a subnet may begin with a higher address than its first.
      Config: [{ Subnet: subnet, Gateway: addressAt(subnet, 1) }],
    },
    Options: { [mtuOption]: String(mtu) },
  };
}

/** Option of networks. */
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

/** Ports that the container of a node has on the host; those of users are at every control plane. */
function listPorts(
  node: ContainerNode,
  spec: ContainerSpec,
  ports: HostPorts,
): readonly PortMapping[] {
  if (node.type !== "controlplane") return [];
  const index = spec.nodes.indexOf(node);
  // Elsewhere the engine is in a virtual machine, and its loopback is not ours.
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
