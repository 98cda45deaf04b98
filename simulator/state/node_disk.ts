/** What is on the disks of a simulated node: it outlives every boot. */

import type { BootEntries, LoaderKind } from "../release/boot_entries.ts";

/** Disks of a node; etcd keeps its own data. */
export interface NodeDisk {
  /** False when there is no configuration, and the node offers maintenance only. */
  configured: boolean;
  /** Configuration, YAML; `undefined` for the one the node was made with. */
  configuration: string | undefined;
  /** What the boot loader can start; `undefined` while nothing is installed. */
  bootEntries: BootEntries | undefined;
  bootLoader: LoaderKind;
  /** Values in the META partition by key, 0 to 255. */
  readonly meta: Map<number, Uint8Array>;
  readonly images: Images;
  /** Disks beside the system disk. */
  userDisks: readonly UserDisk[];
}

/** A disk beside the system disk. */
export interface UserDisk {
  /** Name of its device: `vdb`. */
  readonly name: string;
  readonly partitions: readonly {
    readonly number: number;
    /** Kind of file system; empty for none. */
    readonly filesystem: string;
  }[];
}

/** Where images are: the runtime, and the namespace in it. */
export type NodeImageStore = "system/system" | "cri/system" | "cri/k8s.io";

type Images = Map<NodeImageStore, Map<string, StoredImage>>;

/** One image; it has several names. */
export interface StoredImage {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  /** When it was pulled, in milliseconds since 1970. */
  readonly created: number;
  /** Name it was pulled under, with its tag if that had one. */
  readonly source: string;
}
