import type { ClusterAccess } from "../provisioner.ts";
import type { accelerators } from "./accelerator.ts";
import type { AgentPlan } from "./agent/plan.ts";
import type { Architecture, BootMedium, DiskDriver } from "./machine.ts";
import type { Chaos, CniSettings } from "./bridge_network.ts";
import type { ClusterPlan } from "./plan.ts";

/** A disk that machines are to have. */
export interface WantedDisk {
  readonly driver: DiskDriver;
  /** Size in bytes. */
  readonly size: number;
}

interface Resources {
  /** Processor time in billionths of a processor. */
  readonly nanocpus: number;
  /** Memory in bytes. */
  readonly memory: number;
}

interface WantedNetwork {
  /** Largest packet in bytes. */
  readonly mtu: number;
  /** Name servers; the bridge's own addresses when empty. */
  readonly nameservers: readonly string[];
  /** Destinations that see the addresses of the machines. */
  readonly noMasquerade: readonly string[];
  /** True when DHCP gives machines their names. */
  readonly isNamedByDhcp: boolean;
  /** Disturbances; omitted, there are none. */
  readonly chaos?: Chaos | undefined;
  /** True when machines reach nothing but each other and this machine. */
  readonly isAirgapped: boolean;
  /** CNI plugins that attach the machines; omitted, osctl does. */
  readonly cni?: WantedCni | undefined;
}

/** CNI plugins, and where they are to be had. */
export interface WantedCni extends Omit<CniSettings, "name"> {
  /** URL of an archive with those that are missing, for the first of their folders; omitted, none may be missing. */
  readonly bundleUrl?: string | undefined;
}

/** What a cluster of virtual machines is made from. */
export interface QemuSpec {
  readonly plan: ClusterPlan;
  /** What was asked for, as a digest: a creation that was interrupted is continued with the same. */
  readonly wishes: string;
  readonly network: WantedNetwork;
  readonly architecture: Architecture;
  /** How instructions are executed. */
  readonly accelerator: (typeof accelerators)[number];
  readonly controlplane: Resources;
  readonly worker: Resources;
  /** Disks of every machine, that of the system first. */
  readonly disks: readonly WantedDisk[];
  /** Disks that workers have besides. */
  readonly workerDisks: readonly WantedDisk[];
  /** Size of a block of a disk in bytes. */
  readonly blockSize: number;
  /** True when the whole of each disk is claimed on the host's disk at once. */
  readonly isPreallocated: boolean;
  /** What machines boot at first. */
  readonly boot: BootMedium;
  /** Disk image for the first disk of each machine, raw or `.zst`; omitted, disks are empty. */
  readonly diskImage?: string | undefined;
  /** Downloads what they boot; omitted, that is there. */
  readonly download?: (() => Promise<void>) | undefined;
  /** URL of a script for iPXE; omitted, machines do not boot from the network. */
  readonly bootScript?: string | undefined;
  /** Command line of the kernel, without what says where the configuration is. */
  readonly kernelArguments: string;
  /** True when boot loaders are told to add to the command line of the kernel. */
  readonly hasStubArguments: boolean;
  /** True when machines have UEFI. */
  readonly hasUefi: boolean;
  /** Folders that are searched first for its firmware. */
  readonly firmwareFolders: readonly string[];
  /** Version of the TPM; omitted, there is none. */
  readonly tpm?: "1.2" | "2.0" | undefined;
  /** True when machines have an IOMMU. */
  readonly hasIommu: boolean;
  /** True when the clocks of the machines begin in 2011. */
  readonly isClockWrong: boolean;
  /** True when machines boot from their disks as soon as something is installed. */
  readonly hasBootloader: boolean;
  /** True when a second serial console is to be had on a socket. */
  readonly hasDebugShell: boolean;
  /** How machines get their configurations: over HTTP, on an ISO, or not from here. */
  readonly injection: "http" | "metal-iso" | "none";
  /** Configuration of every machine by its name, YAML. */
  readonly configurations: ReadonlyMap<string, string>;
  readonly controlPlanePort: number;
  /** URL of the Kubernetes API for users. */
  readonly kubernetesEndpoint: string;
  /** True when there is a key management service for disks. */
  readonly hasKms: boolean;
  /** True when logs of nodes are received. */
  readonly hasJsonLogs: boolean;
  /** User who ran sudo, to whom the files belong; omitted, they belong to who makes them. */
  readonly owner?: {
    readonly uid: number;
    readonly gid: number;
  } | undefined;
  /** Agent that nodes open a tunnel to; omitted, there is none. */
  readonly agent?: AgentPlan | undefined;
  /** How clients reach the cluster. */
  readonly access: ClusterAccess;
}
