/** Disks and volumes of a node: one system disk, partitioned at install. */

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

/** Disks, devices, volumes and mounts; the same on every node. */
export const storageContents: readonly Content[] = [
  disk("vda", diskSize, {
    model: "",
    modalias: "virtio:d00000002v00001AF4",
    bus_path: "/pci0000:00/0000:00:06.0/virtio3",
    sub_system: "/sys/class/block",
    transport: "virtio",
    rotational: true,
    symlinks: ["/dev/disk/by-diskseq/9", "/dev/disk/by-path/pci-0000:00:06.0"],
  }),
  disk("loop0", 78 * mib, { readonly: true }),
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
  ...["vda", ...partitions.map((_, index) => `vda${index + 1}`)].map((
    id,
    index,
  ) => ({
    type: "BlockDevices.block",
    id,
    owner: "block.DevicesController",
    spec: {
      type: index === 0 ? "disk" : "partition",
      major: 254,
      minor: index,
      ...(index === 0 ? {} : {
        partitionName: partitions[index - 1]?.label,
        partitionNumber: index,
      }),
      devicePath: `/devices/pci0000:00/0000:00:06.0/virtio3/block/vda${
        index === 0 ? "" : `/${id}`
      }`,
      generation: 1,
      ...(index === 0 ? {} : { parent: "vda" }),
    },
  })),
  {
    type: "SystemDisks.block",
    id: "system-disk",
    owner: "block.SystemDiskController",
    spec: { diskID: "vda", devPath: "/dev/vda" },
  },
  ...partitions.flatMap(volume),
  ...partitions.filter(({ target }) => target !== "").flatMap(mounted),
];

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
