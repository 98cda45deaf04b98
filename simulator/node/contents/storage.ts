/** Disks and volumes of a node: one system disk, partitioned at install. */

import type { NodeDisk, UserDisk } from "../../state/node_disk.ts";
import { type NodeResource, resource } from "./content.ts";

const mib = 2 ** 20;
const gib = 2 ** 30;

/** Size of the system disk, in bytes. */
const diskSize: number = 20 * gib;

interface SystemPartition {
  /** Volume name: `EPHEMERAL`. */
  readonly label: string;
  /** In bytes. */
  readonly size: number;
  readonly filesystem: string;
  /** Mount point; empty if not mounted. */
  readonly target: string;
}

/** Partitions of the system disk in order. */
export const partitions: readonly SystemPartition[] = [
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

/** Size of a user disk, in bytes; its partitions fill it. */
const userDiskSize: number = 10 * gib;

/** Disks, devices and volumes. */
export function diskContents(
  { bootEntries, userDisks, wipes }: Pick<
    NodeDisk,
    "bootEntries" | "userDisks" | "wipes"
  >,
): readonly NodeResource[] {
  return [
    diskResource("vda", diskSize, virtioDisk(3)),
    diskResource("loop0", 78 * mib, {
      readonly: true,
      bus_path: "/virtual",
      sub_system: "/sys/class/block",
    }),
    loopDevice,
    ...userDisks.flatMap(userDiskContents),
    ...(bootEntries === undefined ? emptyDisk : systemDisk(wipes)),
  ];
}

const loopDevice: NodeResource = resource(
  "BlockDevices.block",
  "loop0",
  "block.DevicesController",
  {
    type: "disk",
    major: 7,
    minor: 0,
    devicePath: "/devices/virtual/block/loop0",
    generation: 1,
  },
);

/** Mounts of the system partitions. */
export const mountContents: readonly NodeResource[] = partitions
  .filter(({ target }) => target !== "").flatMap(mountResources);

const systemDisk = (wipes: NodeDisk["wipes"]): readonly NodeResource[] => [
  discoveredVolume("vda", diskSize, {
    type: "disk",
    name: "gpt",
    uuid: partitionUuid(0),
  }),
  ...partitions.map(({ label, size, filesystem }, index) =>
    discoveredVolume(`vda${index + 1}`, size, {
      type: "partition",
      parent: "vda",
      parent_dev_path: "/dev/vda",
      name: filesystem === "meta" ? "" : filesystem,
      label: filesystem === "xfs" ? label : "",
      partition_uuid: partitionUuid(index + 1, wipes.get(label)),
      partition_label: label,
      partition_index: index + 1,
    })
  ),
  deviceResource("vda", { number: 0 }),
  ...partitions.map(({ label }, index) =>
    deviceResource("vda", { number: index + 1, label })
  ),
  resource("SystemDisks.block", "system-disk", "block.SystemDiskController", {
    diskID: "vda",
    devPath: "/dev/vda",
  }),
  ...partitions.flatMap((one, index) => volume(one, index, wipes)),
];

/** System disk before an installation. */
const emptyDisk: readonly NodeResource[] = [
  discoveredVolume("vda", diskSize, { type: "disk", name: "" }),
  deviceResource("vda", { number: 0 }),
  ...["META", "STATE", "EPHEMERAL"].map((
    id,
  ) => (resource("VolumeStatuses.block", id, "block.VolumeManagerController", {
    phase: id === "EPHEMERAL" ? "waiting" : "missing",
    type: "partition",
  }))),
];

/** Size of each partition of a user disk, in bytes. */
export function sizePartitions(
  { partitions }: Pick<UserDisk, "partitions">,
): number {
  return Math.floor((userDiskSize - 2 * mib) / Math.max(1, partitions.length));
}

function userDiskContents(
  { name, partitions: own }: UserDisk,
  index: number,
): readonly NodeResource[] {
  const size = sizePartitions({ partitions: own });
  const isEmpty = own.length === 0;
  return [
    diskResource(name, userDiskSize, virtioDisk(4 + index)),
    discoveredVolume(name, userDiskSize, {
      type: "disk",
      name: isEmpty ? "" : "gpt",
    }),
    deviceResource(name, { number: 0 }),
    ...own.flatMap(({ number, filesystem }) => [
      discoveredVolume(`${name}${number}`, size, {
        type: "partition",
        parent: name,
        parent_dev_path: `/dev/${name}`,
        name: filesystem,
        partition_index: number,
      }),
      deviceResource(name, { number, label: "" }),
    ]),
  ];
}

function volume(
  { label, size, filesystem }: SystemPartition,
  index: number,
  wipes: NodeDisk["wipes"],
): readonly NodeResource[] {
  if (label === "EFI") return [];
  return [
    resource("VolumeStatuses.block", label, "block.VolumeManagerController", {
      phase: "ready",
      type: "partition",
      location: `/dev/vda${index + 1}`,
      mountLocation: `/dev/vda${index + 1}`,
      partitionIndex: index + 1,
      parentLocation: "/dev/vda",
      partitionUUID: partitionUuid(index + 1, wipes.get(label)),
      size,
      prettySize: prettySize(size),
      filesystem: filesystem === "meta" ? "none" : filesystem,
    }),
  ];
}

function mountResources(
  { label, target, filesystem }: SystemPartition,
): readonly NodeResource[] {
  const source = `/dev/vda${
    partitions.findIndex((one) => one.label === label) + 1
  }`;
  const [requester, readOnly, detached] = ["sequencer", false, false];
  // Mount options in the configuration are ignored.
  const secure = label === "EPHEMERAL";
  const options = { secure, disableAccessTime: false, noExec: false };
  const request = {
    volumeID: label,
    parentID: "",
    readOnly,
    detached,
    ...(secure ? { secure } : {}),
    requesters: [requester],
    requesterIDs: [label],
  };
  return [
    resource("MountStatuses.runtime", label, "runtime.MountStatusController", {
      source,
      target,
      filesystemType: filesystem,
      options: [],
      encrypted: false,
    }),
    resource("MountStatuses.block", label, "block.MountController", {
      spec: request,
      source,
      target,
      filesystem,
      readOnly,
      projectQuotaSupport: false,
      detached,
    }),
    resource(
      "MountRequests.block",
      label,
      "block.MountRequestController",
      request,
    ),
    {
      type: "VolumeMountRequests.block",
      id: label,
      spec: { volumeID: label, readOnly, detached, requester, ...options },
    },
    resource(
      "VolumeMountStatuses.block",
      label,
      "block.MountStatusController",
      { volumeID: label, requester, target, readOnly, detached, ...options },
    ),
  ];
}

/** Kernel attributes of a virtual disk in a slot of the bus. */
function virtioDisk(slot: number): object {
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

function deviceResource(
  parent: string,
  { number, label }: { readonly number: number; readonly label?: string },
): NodeResource {
  const isDisk = number === 0;
  const id = isDisk ? parent : `${parent}${number}`;
  const slot = parent.charCodeAt(2) - "a".charCodeAt(0);
  return resource("BlockDevices.block", id, "block.DevicesController", {
    type: isDisk ? "disk" : "partition",
    major: 254,
    minor: 16 * slot + number,
    ...(isDisk ? {} : { partitionName: label, partitionNumber: number }),
    devicePath: `/devices/pci0000:00/0000:00:06.0/virtio${
      slot + 3
    }/block/${parent}${isDisk ? "" : `/${id}`}`,
    generation: 1,
    ...(isDisk ? {} : { parent }),
  });
}

function diskResource(id: string, size: number, extra: object): NodeResource {
  const spec = {
    dev_path: `/dev/${id}`,
    size,
    pretty_size: prettySize(size),
    io_size: 512,
    sector_size: 512,
    readonly: false,
    cdrom: false,
    ...extra,
  };
  return resource("Disks.block", id, "block.DisksController", spec);
}

/** Discovered volume of a device, as a resource. */
export function discoveredVolume(
  id: string,
  size: number,
  extra: object,
): NodeResource {
  const spec = {
    dev_path: `/dev/${id}`,
    dev_dath: `/dev/${id}`,
    device_path: `/dev/${id}`,
    offset: 0,
    size,
    pretty_size: prettySize(size),
    sector_size: 512,
    io_size: 512,
    ...extra,
  };
  const owner = "block.DiscoveryController";
  return resource("DiscoveredVolumes.block", id, owner, spec);
}

/** UUID of a partition of the system disk; 0 for its partition table. `wipes`: how often it was wiped. */
function partitionUuid(index: number, wipes = 0): string {
  const created = wipes.toString(16).padStart(4, "0");
  return `7d1c5a30-${created}-4000-8000-00000000000${index}`;
}

/** Formats bytes with a decimal unit and at most three digits. */
export function prettySize(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.floor(Math.log10(bytes) / 3);
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
