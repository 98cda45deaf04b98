/** Disk state of a simulated node; survives reboots. */

import type { BootEntries, LoaderKind } from "../release/boot_entries.ts";

/** Disks of a node; etcd keeps its own data. */
export interface NodeDisk {
  /** False without a configuration; the node is in maintenance mode. */
  configured: boolean;
  /** Configuration, YAML; `undefined` for the initial one. */
  configuration: string | undefined;
  /** Boot loader entries; `undefined` if nothing is installed. */
  bootEntries: BootEntries | undefined;
  bootLoader: LoaderKind;
  /** META values by key, 0 to 255. */
  readonly meta: Map<number, Uint8Array>;
  readonly images: Images;
  /** Disks other than the system disk. */
  userDisks: readonly UserDisk[];
  /** How often each partition of the system disk was wiped, by label: the next boot creates another one. */
  readonly wipes: Map<string, number>;
}

/** A disk other than the system disk. */
export interface UserDisk {
  /** Device name: `vdb`. */
  readonly name: string;
  readonly partitions: readonly {
    readonly number: number;
    /** File system type, or `lvm2-pv`; empty for none. */
    readonly filesystem: string;
  }[];
  /** LVM volume group on its first partition. */
  readonly group?: {
    readonly name: string;
    /** Names of its logical volumes. */
    readonly volumes: readonly string[];
  };
  /** Name of the software RAID array that it is a member of. */
  readonly array?: string;
}

/** Image store: runtime and namespace. */
export type NodeImageStore = "system/system" | "cri/system" | "cri/k8s.io";

type Images = Map<NodeImageStore, Map<string, StoredImage>>;

/** A stored image; it has several names. */
export interface StoredImage {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  /** Pull time in milliseconds since 1970. */
  readonly created: number;
  /** Pulled name, with its tag if it had one. */
  readonly source: string;
}
