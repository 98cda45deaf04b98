/** Disks and volumes of a node: one system disk, partitioned at install. */

import type { SimulatedNode } from "../node.ts";
import type { Content } from "./content.ts";

const mib = 2 ** 20;
const gib = 2 ** 30;

/** Size of the system disk, in bytes. */
export const diskSize: number = 20 * gib;

/** A partition of the system disk. */
export interface Partition {
  /** Name of the volume on it: `EPHEMERAL`. */
  readonly label: string;
  /** In bytes. */
  readonly size: number;
  /** Kind of file system. */
  readonly filesystem: string;
  /** Where it is mounted; empty for nowhere. */
  readonly target: string;
}

/** Partitions of the system disk in order. */
export const partitions: readonly Partition[] = [
  { label: "EFI", size: 2101 * mib, filesystem: "vfat", target: "" },
  { label: "META", size: mib, filesystem: "meta", target: "" },
  {
    label: "STATE",
    size: 100 * mib,
    filesystem: "xfs",
    target: "/system/state",
  },
  {
    label: "EPHEMERAL",
    size: diskSize - 2204 * mib,
    filesystem: "xfs",
    target: "/var",
  },
];

/** A disk beside the system disk. */
export interface UserDisk {
  /** Name of its device: `vdb`. */
  readonly name: string;
  /** Numbers of its partitions. */
  readonly partitions: readonly number[];
}

/** Size of a disk beside the system disk, in bytes; its partitions fill it together. */
export const userDiskSize: number = 10 * gib;

/** Disks, devices and volumes. */
export function diskContents(
  { boot, userDisks }: Pick<SimulatedNode, "boot" | "userDisks">,
): readonly Content[] {
  return [
    disk("vda", diskSize, virtioDisk(3)),
    disk("loop0", 78 * mib, { readonly: true }),
    ...userDisks.flatMap(userDiskContents),
    ...(boot === undefined ? emptyDisk : systemDisk),
  ];
}

/** What is mounted. */
export const mountContents: readonly Content[] = partitions
  .filter(({ target }) => target !== "").flatMap(mounted);

const systemDisk: readonly Content[] = [
  discovered("vda", diskSize, {
    type: "disk",
    name: "gpt",
    uuid: partitionUuid(0),
  }),
  ...partitions.map(({ label, size, filesystem }, index) =>
    discovered(`vda${index + 1}`, size, {
      type: "partition",
      parent: "vda",
      parent_dev_path: "/dev/vda",
      name: filesystem === "meta" ? "" : filesystem,
      label: filesystem === "xfs" ? label : "",
      partition_uuid: partitionUuid(index + 1),
      partition_label: label,
      partition_index: index + 1,
    })
  ),
  device("vda", { number: 0 }),
  ...partitions.map(({ label }, index) =>
    device("vda", { number: index + 1, label })
  ),
  {
    type: "SystemDisks.block",
    id: "system-disk",
    owner: "block.SystemDiskController",
    spec: { diskID: "vda", devPath: "/dev/vda" },
  },
  ...partitions.flatMap(volume),
];

/** What there is of a system disk on which nothing was installed yet. */
const emptyDisk: readonly Content[] = [
  discovered("vda", diskSize, { type: "disk", name: "" }),
  device("vda", { number: 0 }),
  ...["META", "STATE", "EPHEMERAL"].map((id) => ({
    type: "VolumeStatuses.block",
    id,
    owner: "block.VolumeManagerController",
    spec: {
      phase: id === "EPHEMERAL" ? "waiting" : "missing",
      type: "partition",
    },
  })),
];

function userDiskContents(
  { name, partitions: numbers }: UserDisk,
  index: number,
): readonly Content[] {
  const size = Math.floor(
    (userDiskSize - 2 * mib) / Math.max(1, numbers.length),
  );
  const isEmpty = numbers.length === 0;
  return [
    disk(name, userDiskSize, virtioDisk(4 + index)),
    discovered(name, userDiskSize, {
      type: "disk",
      name: isEmpty ? "" : "gpt",
    }),
    device(name, { number: 0 }),
    ...numbers.flatMap((number) => [
      discovered(`${name}${number}`, size, {
        type: "partition",
        parent: name,
        parent_dev_path: `/dev/${name}`,
        name: "xfs",
        partition_index: number,
      }),
      device(name, { number, label: "" }),
    ]),
  ];
}

function virtioDisk(slot: number) {
  const path = `/pci0000:00/0000:00:06.0/virtio${slot}`;
  return {
    model: "",
    modalias: "virtio:d00000002v00001AF4",
    bus_path: path,
    sub_system: "/sys/class/block",
    transport: "virtio",
    rotational: true,
    symlinks: [
      `/dev/disk/by-diskseq/${slot + 6}`,
      `/dev/disk/by-path/pci-0000:00:${String(slot + 3).padStart(2, "0")}.0`,
    ],
  };
}

/** A disk as a device, or one of its partitions. */
function device(
  parent: string,
  { number, label }: { readonly number: number; readonly label?: string },
): Content {
  const isDisk = number === 0;
  const id = isDisk ? parent : `${parent}${number}`;
  const slot = parent.charCodeAt(2) - "a".charCodeAt(0);
  return {
    type: "BlockDevices.block",
    id,
    owner: "block.DevicesController",
    spec: {
      type: isDisk ? "disk" : "partition",
      major: 254,
      minor: 16 * slot + number,
      ...(isDisk ? {} : { partitionName: label, partitionNumber: number }),
      devicePath: `/devices/pci0000:00/0000:00:06.0/virtio${
        slot + 3
      }/block/${parent}${isDisk ? "" : `/${id}`}`,
      generation: 1,
      ...(isDisk ? {} : { parent }),
    },
  };
}

function disk(id: string, size: number, extra: object): Content {
  const spec = {
    dev_path: `/dev/${id}`,
    size,
    pretty_size: pretty(size),
    io_size: 512,
    sector_size: 512,
    readonly: false,
    cdrom: false,
    ...extra,
  };
  return { type: "Disks.block", id, owner: "block.DisksController", spec };
}

function discovered(id: string, size: number, extra: object): Content {
  const spec = {
    dev_path: `/dev/${id}`,
    device_path: `/dev/${id}`,
    offset: 0,
    size,
    pretty_size: pretty(size),
    sector_size: 512,
    io_size: 512,
    ...extra,
  };
  const owner = "block.DiscoveryController";
  return { type: "DiscoveredVolumes.block", id, owner, spec };
}

function volume(
  { label, size, filesystem }: Partition,
  index: number,
): readonly Content[] {
  if (label === "EFI") return [];
  return [{
    type: "VolumeStatuses.block",
    id: label,
    owner: "block.VolumeManagerController",
    spec: {
      phase: "ready",
      type: "partition",
      location: `/dev/vda${index + 1}`,
      mountLocation: `/dev/vda${index + 1}`,
      partitionIndex: index + 1,
      parentLocation: "/dev/vda",
      partitionUUID: partitionUuid(index + 1),
      size,
      prettySize: pretty(size),
      filesystem: filesystem === "meta" ? "none" : filesystem,
    },
  }];
}

function mounted({ label, target, filesystem }: Partition): readonly Content[] {
  const source = `/dev/vda${
    partitions.findIndex((one) => one.label === label) + 1
  }`;
  return [
    {
      type: "MountStatuses.runtime",
      id: label,
      owner: "runtime.MountStatusController",
      spec: {
        source,
        target,
        filesystemType: filesystem,
        options: [],
        encrypted: false,
      },
    },
    {
      type: "MountStatuses.block",
      id: label,
      owner: "block.MountController",
      spec: {
        spec: {
          volumeID: label,
          parentID: "",
          readOnly: false,
          detached: false,
          requesters: ["sequencer"],
          requesterIDs: [`sequencer/${label}`],
        },
        source,
        target,
        filesystem,
        readOnly: false,
        projectQuotaSupport: false,
        detached: false,
      },
    },
  ];
}

function partitionUuid(index: number): string {
  return `7d1c5a30-0000-4000-8000-00000000000${index}`;
}

/** Bytes with a decimal unit, three digits at most. */
function pretty(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.floor(Math.log10(bytes) / 3);
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
