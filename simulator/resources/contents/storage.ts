/** Disks and volumes of a node: one system disk, partitioned at install. */

import type { NodeDisk, UserDisk } from "../../node/node_disk.ts";
import {
  device,
  discovered,
  disk,
  partitionUuid,
  pretty,
  virtioDisk,
} from "./block_device.ts";
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

/** Size of a disk beside the system disk, in bytes; its partitions fill it together. */
export const userDiskSize: number = 10 * gib;

/** Disks, devices and volumes. */
export function diskContents(
  { bootEntries, userDisks }: Pick<NodeDisk, "bootEntries" | "userDisks">,
): readonly Content[] {
  return [
    disk("vda", diskSize, virtioDisk(3)),
    disk("loop0", 78 * mib, { readonly: true }),
    loopDevice,
    ...userDisks.flatMap(userDiskContents),
    ...(bootEntries === undefined ? emptyDisk : systemDisk),
  ];
}

/** What the image of the system is read from. */
const loopDevice: Content = {
  type: "BlockDevices.block",
  id: "loop0",
  owner: "block.DevicesController",
  spec: {
    type: "disk",
    major: 7,
    minor: 0,
    devicePath: "/devices/virtual/block/loop0",
    generation: 1,
  },
};

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
  { name, partitions: own }: UserDisk,
  index: number,
): readonly Content[] {
  const size = Math.floor(
    (userDiskSize - 2 * mib) / Math.max(1, own.length),
  );
  const isEmpty = own.length === 0;
  return [
    disk(name, userDiskSize, virtioDisk(4 + index)),
    discovered(name, userDiskSize, {
      type: "disk",
      name: isEmpty ? "" : "gpt",
    }),
    device(name, { number: 0 }),
    ...own.flatMap(({ number, filesystem }) => [
      discovered(`${name}${number}`, size, {
        type: "partition",
        parent: name,
        parent_dev_path: `/dev/${name}`,
        name: filesystem,
        partition_index: number,
      }),
      device(name, { number, label: "" }),
    ]),
  ];
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
