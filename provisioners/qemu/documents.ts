/** Configuration changes from the settings of a cluster of virtual machines. */

import { ConfigError } from "../../errors.ts";
import { agentDocuments, type AgentPlan, wireguardKeys } from "./agent/plan.ts";
import { ports } from "./cluster.ts";
import type { DiskDriver } from "./machine.ts";
import { addressIn, type ClusterPlan, type Document } from "./plan.ts";
import { hostPort } from "../../lib/ip.ts";

/** Types of disk encryption keys. */
export const keyTypes = ["uuid", "kms", "tpm"] as const;

/** A user volume. */
export interface UserVolume {
  readonly name: string;
  readonly size: string;
}

/** Settings that affect configurations. */
export interface DocumentSettings {
  readonly plan: ClusterPlan;
  /** Talos minor version, such as 12. */
  readonly minor: number;
  readonly systemDisk: DiskDriver;
  readonly controlPlanePort: number;
  /** KubePrism port, by default 7445; 0 for none. */
  readonly kubeprismPort: number;
  /** True if control planes share a VIP. */
  readonly usesVip: boolean;
  readonly customCniUrl?: string | undefined;
  readonly isKexecOff: boolean;
  /** True to print service logs on the console. */
  readonly isDebug: boolean;
  /** Registries without certificate verification. */
  readonly insecureRegistries: readonly string[];
  /** Default action of the ingress firewall; omitted for no firewall. */
  readonly firewall?: "accept" | "block" | undefined;
  readonly encrypted: readonly ("STATE" | "EPHEMERAL" | "user")[];
  readonly keys: readonly (typeof keyTypes)[number][];
  readonly userVolumes: readonly (readonly UserVolume[])[];
  /** True if nodes send their logs to the bridge. */
  readonly hasJsonLogs: boolean;
  /** IPv4 subnet of a WireGuard network between the nodes; default none. */
  readonly wireguardCidr?: string | undefined;
  /** URL of a manager that configures the nodes over a tunnel; default none. */
  readonly manager?: string | undefined;
  /** Agent of the tunnel; default none. */
  readonly agent?: AgentPlan | undefined;
}

/** Configuration changes, in order. */
interface SettingDocuments {
  readonly all: readonly Document[];
  readonly controlplane: readonly Document[];
  readonly worker: readonly Document[];
  readonly node: ReadonlyMap<string, readonly Document[]>;
}

/** Device of the first disk by driver. */
export const systemDevices: Readonly<Record<DiskDriver, string>> = {
  virtio: "/dev/vda",
  ide: "/dev/sda",
  ahci: "/dev/sda",
  scsi: "/dev/sda",
  megaraid: "/dev/sda",
  nvme: "/dev/nvme0n1",
};

/** Builds the changes. Throws `ConfigError` if a setting needs documents that the Talos version does not support. */
export function settingDocuments(settings: DocumentSettings): SettingDocuments {
  return {
    all: [
      ...network(settings),
      ...machineSettings(settings),
      ...registries(settings),
      ...encryption(settings),
      ...userVolumes(settings),
      ...agent(settings),
    ],
    controlplane: [...vip(settings), ...firewall(settings, "controlplane")],
    worker: firewall(settings, "worker"),
    node: wireguard(settings),
  };
}

function network({ plan, minor }: DocumentSettings): Document[] {
  const hasIpv4 = plan.subnets.some(({ gateway }) => !gateway.includes(":"));
  const hasIpv6 = plan.subnets.some(({ gateway }) => gateway.includes(":"));
  if (minor >= 12) {
    return [
      document("LinkAliasConfig", {
        name: "net0",
        selector: { match: 'link.driver == "virtio_net"' },
      }),
      document(hasIpv4 ? "DHCPv4Config" : "DHCPv6Config", { name: "net0" }),
    ];
  }
  return [{
    machine: {
      network: {
        interfaces: [{
          deviceSelector: { driver: "virtio_net" },
          dhcp: true,
          dhcpOptions: { ipv4: hasIpv4, ipv6: hasIpv6 },
        }],
      },
      // Boot loaders of later versions keep their kernel command line.
      install: {
        extraKernelArgs: [
          "console=ttyS0",
          "reboot=k",
          "panic=1",
          "talos.shutdown=halt",
          "talos.platform=metal",
        ],
      },
    },
  }];
}

function machineSettings(settings: DocumentSettings): Document[] {
  const { plan, controlPlanePort, kubeprismPort, customCniUrl } = settings;
  const gateway = plan.subnets[0]?.gateway ?? "";
  return [
    ...settings.isDebug ? [{ debug: true }] : [],
    ...controlPlanePort === 6443 ? [] : [{
      cluster: { controlPlane: { localAPIServerPort: controlPlanePort } },
    }],
    ...kubeprismPort === 7445 ? [] : [{
      machine: {
        features: {
          kubePrism: kubeprismPort === 0
            ? { $patch: "delete" }
            : { enabled: true, port: kubeprismPort },
        },
      },
    }],
    ...customCniUrl === undefined ? [] : [{
      cluster: { network: { cni: { name: "custom", urls: [customCniUrl] } } },
    }],
    ...settings.isKexecOff
      ? [{ machine: { sysctls: { "kernel.kexec_load_disabled": "1" } } }]
      : [],
    ...settings.hasJsonLogs
      ? [{
        machine: {
          logging: {
            destinations: [{
              endpoint: `tcp://${hostPort(gateway, ports.jsonLogs)}`,
              format: "json_lines",
            }],
          },
        },
      }]
      : [],
  ];
}

function registries(
  { insecureRegistries, minor }: DocumentSettings,
): Document[] {
  return insecureRegistries.map((host) =>
    minor >= 12
      ? document("RegistryTLSConfig", { name: host, insecureSkipVerify: true })
      : {
        machine: {
          registries: {
            config: { [host]: { tls: { insecureSkipVerify: true } } },
          },
        },
      }
  );
}

function vip({ plan, usesVip, minor }: DocumentSettings): Document[] {
  if (!usesVip) return [];
  if (minor >= 12) {
    return [document("Layer2VIPConfig", { name: plan.vip, link: "net0" })];
  }
  return [{
    machine: {
      network: {
        interfaces: [{
          deviceSelector: { driver: "virtio_net" },
          vip: { ip: plan.vip },
        }],
      },
    },
  }];
}

interface FirewallSource {
  readonly subnet: string;
  readonly except?: string;
}

function firewall(
  { firewall: action, plan }: DocumentSettings,
  role: "controlplane" | "worker",
): Document[] {
  if (action === undefined) return [];
  const host = (address: string) =>
    `${address}/${address.includes(":") ? 128 : 32}`;
  const inside: FirewallSource[] = plan.subnets.map(({ cidr, gateway }) => ({
    subnet: cidr,
    except: host(gateway),
  }));
  const anywhere: FirewallSource[] = [{ subnet: "0.0.0.0/0" }, {
    subnet: "::/0",
  }];
  const controlplanes: FirewallSource[] = plan.machines
    .filter(({ type }) => type !== "worker")
    .flatMap(({ ips }) => ips.map((ip) => ({ subnet: host(ip) })));
  const isControl = role === "controlplane";
  const rule = (
    name: string,
    selected: readonly (number | string)[],
    ingress: FirewallSource[],
    protocol = "tcp",
  ) =>
    document("NetworkRuleConfig", {
      name,
      portSelector: { ports: selected, protocol },
      ingress,
    });
  return [
    document("NetworkDefaultActionConfig", { ingress: action }),
    rule("kubelet-ingress", [10250], inside),
    rule("apid-ingress", [50000], isControl ? anywhere : inside),
    ...isControl
      ? [
        rule("trustd-ingress", [50001], inside),
        rule("kubernetes-api-ingress", [6443], anywhere),
        rule("etcd-ingress", ["2379-2380"], controlplanes),
      ]
      : [],
    rule("cni-vxlan", [4789, 8472], inside, "udp"),
  ];
}

function encryption(settings: DocumentSettings): Document[] {
  const { encrypted, minor } = settings;
  const volumes = encrypted.filter((one) => one !== "user");
  if (volumes.length === 0) return [];
  if (minor > 10) {
    return volumes.map((name) =>
      document("VolumeConfig", {
        name,
        encryption: {
          provider: "luks2",
          keys: makeKeys(settings).map((key) =>
            name === "STATE" ? key : { ...key, lockToState: true }
          ),
        },
      })
    );
  }
  const section = { provider: "luks2", keys: makeKeys(settings) };
  return [{
    machine: {
      systemDiskEncryption: Object.fromEntries(
        volumes.map((name) => [name.toLowerCase(), section]),
      ),
    },
  }];
}

function makeKeys({ keys, plan, minor }: DocumentSettings): Document[] {
  const gateway = plan.subnets[0]?.gateway ?? "";
  const kinds: Readonly<Record<(typeof keyTypes)[number], Document>> = {
    uuid: { nodeID: {} },
    kms: { kms: { endpoint: `grpc://${hostPort(gateway, ports.kms)}` } },
    tpm: { tpm: minor >= 9 ? { checkSecurebootStatusOnEnroll: true } : {} },
  };
  return keys.map((kind, slot) => ({ slot, ...kinds[kind] }));
}

function userVolumes(settings: DocumentSettings): Document[] {
  const { userVolumes: disks, encrypted, minor } = settings;
  if (disks.length > 0 && minor < 10) {
    throw new ConfigError(
      `Cannot use --user-volumes: v1.${minor} has no user volumes`,
      {
        hint: "Use --os-version v1.10 or newer",
      },
    );
  }
  const section = encrypted.includes("user")
    ? { encryption: { provider: "luks2", keys: makeKeys(settings) } }
    : {};
  return disks.flatMap((volumes, disk) =>
    volumes.map(({ name, size }) =>
      document("UserVolumeConfig", {
        name,
        provisioning: {
          diskSelector: { match: `'${userDisk(disk)}' in disk.symlinks` },
          minSize: size,
          maxSize: size,
        },
        ...section,
      })
    )
  );
}

function agent({ agent, minor }: DocumentSettings): readonly Document[] {
  if (agent === undefined) return [];
  if (agent.certificate !== undefined && minor < 8) {
    throw new ConfigError(
      `Cannot use --with-oslink with TLS: v1.${minor} has no TrustedRootsConfig`,
      { hint: "Use --os-version v1.8 or newer" },
    );
  }
  return agentDocuments(agent);
}

/** Returns the device of a user disk; disks on the built-in controller use every other number. */
function userDisk(index: number): string {
  const serial = String(index * 2 + 1).padStart(5, "0");
  return `/dev/disk/by-id/ata-QEMU_HARDDISK_QM${serial}`;
}

const wireguardPort = 51111;

function wireguard(
  { wireguardCidr, plan, minor }: DocumentSettings,
): ReadonlyMap<string, readonly Document[]> {
  if (wireguardCidr === undefined) return new Map();
  if (minor < 12) {
    throw new ConfigError(
      `Cannot use --wireguard-cidr: v1.${minor} has no WireguardConfig`,
      {
        hint: "Use --os-version v1.12 or newer",
      },
    );
  }
  const [, prefix = ""] = wireguardCidr.split("/");
  const peers = plan.machines.map(({ name, type, ips: [ip = ""] }, at) => ({
    name,
    address: addressIn({ cidr: wireguardCidr }, at + 2),
    endpoint: type === "worker" ? undefined : hostPort(ip, wireguardPort),
    ...wireguardKeys(),
  }));
  return new Map(peers.map((own) => [own.name, [document("WireguardConfig", {
    name: "wg0",
    privateKey: own.privateKey,
    ...own.endpoint === undefined ? {} : { listenPort: wireguardPort },
    peers: peers.filter((one) => one !== own).map((peer) => ({
      publicKey: peer.publicKey,
      endpoint: peer.endpoint,
      persistentKeepaliveInterval: "5s",
      allowedIPs: [`${peer.address}/32`],
    })),
    up: true,
    mtu: 1500,
    addresses: [{ address: `${own.address}/${prefix}` }],
  })]]));
}

function document(kind: string, fields: Document): Document {
  return { apiVersion: "v1alpha1", kind, ...fields };
}
