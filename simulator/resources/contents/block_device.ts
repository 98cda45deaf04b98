/** Block devices as resources. */

import type { Content } from "./content.ts";

/** What the kernel says of a virtual disk, given its place on the bus. */
export function virtioDisk(slot: number): object {
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
export function device(
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

/** A disk as a resource. */
export function disk(id: string, size: number, extra: object): Content {
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

/** What was found on a device, as a resource. */
export function discovered(id: string, size: number, extra: object): Content {
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

/** Identity of a partition of the system disk; 0 for its partition table. */
export function partitionUuid(index: number): string {
  return `7d1c5a30-0000-4000-8000-00000000000${index}`;
}

/** Bytes with a decimal unit, three digits at most. */
export function pretty(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.floor(Math.log10(bytes) / 3);
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
