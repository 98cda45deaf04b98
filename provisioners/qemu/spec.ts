import type { ClusterAccess } from "../provisioner.ts";
import type { accelerators } from "./accelerator.ts";
import type { AgentPlan } from "./agent/plan.ts";
import type { Architecture, BootMedium, DiskDriver } from "./machine.ts";
import type { Chaos, CniSettings } from "./bridge_network.ts";
import type { ClusterPlan } from "./plan.ts";

/** Specification of a disk. */
export interface WantedDisk {
  readonly driver: DiskDriver;
  /** Size in bytes. */
  readonly size: number;
}

interface Resources {
  /** CPU limit in billionths of a CPU. */
  readonly nanocpus: number;
  /** Memory in bytes. */
  readonly memory: number;
}

interface WantedNetwork {
  /** MTU in bytes. */
  readonly mtu: number;
  /** Name servers; empty for the addresses of the bridge. */
  readonly nameservers: readonly string[];
  /** Destinations without masquerading. */
  readonly noMasquerade: readonly string[];
  /** True if DHCP assigns host names. */
  readonly isNamedByDhcp: boolean;
  /** Chaos settings; default none. */
  readonly chaos?: Chaos | undefined;
  /** True if machines only reach each other and this machine. */
  readonly isAirgapped: boolean;
  /** CNI plugins that attach the machines; default osctl attaches them. */
  readonly cni?: WantedCni | undefined;
}

/** CNI plugins, and their download URL. */
export interface WantedCni extends Omit<CniSettings, "name"> {
  /** URL of an archive with missing plugins, installed to the first plugin folder; omitted if all must be installed. */
  readonly bundleUrl?: string | undefined;
}

/** Specification of a cluster of virtual machines. */
export interface QemuSpec {
  readonly plan: ClusterPlan;
  /** Digest of the flags: an interrupted creation is resumed only with the same flags. */
  readonly wishes: string;
  readonly network: WantedNetwork;
  readonly architecture: Architecture;
  readonly accelerator: (typeof accelerators)[number];
  readonly controlplane: Resources;
  readonly worker: Resources;
  /** Disks of every machine, system disk first. */
  readonly disks: readonly WantedDisk[];
  /** Additional disks of workers. */
  readonly workerDisks: readonly WantedDisk[];
  /** Block size of disks in bytes. */
  readonly blockSize: number;
  /** True to preallocate disks. */
  readonly isPreallocated: boolean;
  /** Initial boot medium. */
  readonly boot: BootMedium;
  /** Disk image for the first disk of each machine, raw or `.zst`; default empty disks. */
  readonly diskImage?: string | undefined;
  /** Downloads boot assets; omitted if they exist. */
  readonly download?: (() => Promise<void>) | undefined;
  /** URL of an iPXE script; omitted without network boot. */
  readonly bootScript?: string | undefined;
  /** Kernel command line, without the configuration URL. */
  readonly kernelArguments: string;
  /** True to append to the kernel command line through boot loaders. */
  readonly hasStubArguments: boolean;
  readonly hasUefi: boolean;
  /** Additional firmware folders, searched first. */
  readonly firmwareFolders: readonly string[];
  /** TPM version; default none. */
  readonly tpm?: "1.2" | "2.0" | undefined;
  readonly hasIommu: boolean;
  /** True to start the clocks in 2011. */
  readonly isClockWrong: boolean;
  /** True to boot from disk once Talos is installed. */
  readonly hasBootloader: boolean;
  /** True for a second serial console on a socket. */
  readonly hasDebugShell: boolean;
  /** Delivery of configurations: over HTTP, on an ISO, or none. */
  readonly injection: "http" | "metal-iso" | "none";
  /** Configuration of every machine by name, YAML. */
  readonly configurations: ReadonlyMap<string, string>;
  readonly controlPlanePort: number;
  /** URL of the Kubernetes API for users. */
  readonly kubernetesEndpoint: string;
  /** True for a KMS for disk keys. */
  readonly hasKms: boolean;
  /** True to receive logs of nodes. */
  readonly hasJsonLogs: boolean;
  /** Owner of the files: the user who ran sudo; default the current user. */
  readonly owner?: {
    readonly uid: number;
    readonly gid: number;
  } | undefined;
  /** Agent of the tunnel; default none. */
  readonly agent?: AgentPlan | undefined;
  /** Client access to the cluster. */
  readonly access: ClusterAccess;
}
