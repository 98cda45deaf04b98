import type { Contract } from "../../config/generate/contract.ts";
import type { ClusterAccess } from "../provisioner.ts";
import type { accelerators } from "./accelerator.ts";
import type { AgentPlan, WantedAgent } from "./agent/plan.ts";
import type { CniSettings, NetworkSettings } from "./bridge_network.ts";
import type { ImageCache } from "./cluster.ts";
import type { DocumentSettings } from "./documents.ts";
import type { DiskDriver, Hardware } from "./machine.ts";
import type { ClusterPlan } from "./plan.ts";

/** Specification of a disk. */
export interface WantedDisk {
  readonly driver: DiskDriver;
  /** Size in bytes. */
  readonly size: number;
  /** Serial number; default that of QEMU. */
  readonly serial?: string | undefined;
}

interface Resources {
  /** CPU limit in billionths of a CPU. */
  readonly nanocpus: number;
  /** Memory in bytes. */
  readonly memory: number;
}

interface WantedNetwork extends NetworkSettings {
  /** Name servers; empty for the addresses of the bridge. */
  readonly nameservers: readonly string[];
  /** True if DHCP assigns host names. */
  readonly isNamedByDhcp: boolean;
  /** CNI plugins that attach the machines; default osctl attaches them. */
  readonly cni?: WantedCni | undefined;
}

/** CNI plugins, and their download URL. */
export interface WantedCni extends Omit<CniSettings, "name"> {
  /** URL of an archive with missing plugins, installed to the first plugin folder; omitted if all must be installed. */
  readonly bundleUrl?: string | undefined;
}

/** Settings of a cluster of virtual machines, without names, addresses and keys. */
export interface QemuSettings {
  readonly network: WantedNetwork;
  readonly hardware: Hardware;
  readonly accelerator: (typeof accelerators)[number];
  readonly controlplane: Resources;
  readonly worker: Resources;
  /** Disks of every machine, system disk first. */
  readonly disks: readonly WantedDisk[];
  readonly workerDisks: readonly WantedDisk[];
  /** Block size of disks in bytes. */
  readonly blockSize: number;
  readonly isPreallocated: boolean;
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
  /** Delivery of configurations: over HTTP, on an ISO, or none. */
  readonly injection: "http" | "metal-iso" | "none";
  /** Settings that configurations depend on. */
  readonly documents: Omit<DocumentSettings, "plan" | "agent">;
  /** Image cache to serve; default none. */
  readonly imageCache?: ImageCache | undefined;
  /** Agent for node tunnels; default none. */
  readonly wantedAgent?: WantedAgent | undefined;
  /** Target Talos version contract. */
  readonly contract: Contract;
}

/** Specification of a cluster of virtual machines. */
export interface QemuSpec extends QemuSettings {
  readonly plan: ClusterPlan;
  /** Digest of the flags: an interrupted creation is resumed only with the same flags. */
  readonly wishes: string;
  /** Configuration of every machine by name, YAML. */
  readonly configurations: ReadonlyMap<string, string>;
  /** URL of the Kubernetes API for users. */
  readonly kubernetesEndpoint: string;
  /** Owner of the files: the user who ran sudo; default the current user. */
  readonly owner?: {
    readonly uid: number;
    readonly gid: number;
  } | undefined;
  /** Agent of the tunnel; default none. */
  readonly agent?: AgentPlan | undefined;
  readonly access: ClusterAccess;
}
