/** Block devices of a node, and their wipes. */

import { putChanged, toKey } from "./contents/content.ts";
import { domain } from "../../talos.ts";
import { findMinor } from "../release/release.ts";
import { definitionOfType } from "../resources/resource_definitions.ts";
import { diskContents } from "./contents/storage.ts";
import { arrayPath, volumeContents } from "./contents/volumes.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { UserDisk } from "../state/node_disk.ts";

/** A resource about storage; see `contents/storage.ts`. */
interface BlockResource<Spec> {
  readonly id: string;
  readonly spec: Spec;
}

/** Disks, devices and volumes of a node from its resources, sorted by ID. */
export function blockResources(node: SimulatedNode): {
  readonly disks: readonly BlockResource<{
    /** In bytes. */
    readonly size: number;
    readonly readonly: boolean;
    readonly rotational?: boolean;
    readonly modalias?: string;
    readonly bus_path?: string;
    readonly sub_system?: string;
  }>[];
  /** Disks, and partitions with their disks as parents. */
  readonly devices: readonly BlockResource<{
    readonly parent?: string;
    readonly major: number;
    readonly minor: number;
    readonly devicePath: string;
  }>[];
  /** Volumes, with device and disk once they are located. */
  readonly volumes: readonly BlockResource<
    { readonly location?: string; readonly parentLocation?: string }
  >[];
} {
  return {
    disks: listResources(node, "Disks.block"),
    devices: listResources(node, "BlockDevices.block"),
    volumes: listResources(node, "VolumeStatuses.block"),
  };
}

/** True if a device, or a partition on it, is mounted. */
export function isMounted(node: SimulatedNode, name: string): boolean {
  const mounts = listResources<{ readonly source: string }>(
    node,
    "MountStatuses.block",
  );
  return mounts.some(({ spec: { source } }) =>
    source === `/dev/${name}` || source.replace(/\d+$/, "") === `/dev/${name}`
  );
}

/** Wipes an unused device; a disk loses its partitions. */
export function wipeDevice(node: SimulatedNode, name: string): void {
  // The only partition of the system disk that may be unused.
  if (name === "vda2") node.disk.meta.clear();
  change(
    node,
    name,
    (disk, number) =>
      number === undefined
        ? { ...disk, partitions: [] }
        : withPartitions(disk, (partition) =>
          partition.number === number
            ? [{ ...partition, filesystem: "" }]
            : [partition]),
  );
}

/** Removes a partition from its disk; does nothing to a disk. */
export function removePartition(node: SimulatedNode, name: string): void {
  change(
    node,
    name,
    (disk, wanted) =>
      withPartitions(
        disk,
        (partition) => partition.number === wanted ? [] : [partition],
      ),
  );
}

/**
 * Removes LVM objects.
 *
 * @param to Replaces the group of a user disk; the same value leaves it as it is.
 * @returns False if no group was replaced.
 */
export function changeGroup(
  node: SimulatedNode,
  to: (group: DiskGroup) => DiskGroup | undefined,
): boolean {
  return changeDisks(node, (disk) => {
    if (disk.group === undefined) return disk;
    const { group, ...others } = disk;
    const changed = to(group);
    return changed === group
      ? disk
      : { ...others, ...changed && { group: changed } };
  });
}

/** Removes an array, given its path. Returns false if there is none. */
export function removeArray(node: SimulatedNode, path: string): boolean {
  return changeDisks(node, (disk) => {
    const { array, ...others } = disk;
    return array !== undefined && arrayPath(array) === path ? others : disk;
  });
}

type DiskGroup = NonNullable<UserDisk["group"]>;

type DiskPartition = UserDisk["partitions"][number];

function withPartitions(
  disk: UserDisk,
  to: (partition: DiskPartition) => readonly DiskPartition[],
): UserDisk {
  return { ...disk, partitions: disk.partitions.flatMap(to) };
}

/** Changes a disk other than the system disk, given the partition number. */
function change(
  node: SimulatedNode,
  name: string,
  to: (disk: UserDisk, partition: number | undefined) => UserDisk,
): void {
  const [, parent, number = ""] = /^(vd[a-z])(\d*)$/.exec(name) ?? [];
  const wanted = number === "" ? undefined : Number(number);
  changeDisks(
    node,
    (disk) => disk.name === parent ? to(disk, wanted) : disk,
  );
}

/** Changes user disks. Returns false if all stay the same. */
function changeDisks(
  node: SimulatedNode,
  to: (disk: UserDisk) => UserDisk,
): boolean {
  const before = node.disk.userDisks;
  node.disk.userDisks = before.map(to);
  refresh(node);
  return node.disk.userDisks.some((disk, index) => disk !== before[index]);
}

const diskTypes = [
  "DiscoveredVolumes.block",
  "BlockDevices.block",
  "LVMLogicalVolumeStatuses.storage",
  "LVMPhysicalVolumeStatuses.storage",
  "LVMVolumeGroupStatuses.storage",
  "MDArrayStatuses.storage",
];

function refresh(node: SimulatedNode): void {
  const contents = [
    ...diskContents(node.disk),
    ...volumeContents(node.disk.userDisks),
  ];
  const minor = findMinor(node);
  for (const type of diskTypes) {
    if (definitionOfType(`${type}.${domain}`, minor) === undefined) continue;
    const ids = new Set(
      contents.flatMap((one) => one.type === type ? [one.id] : []),
    );
    for (const { id } of listResources(node, type)) {
      if (!ids.has(id)) node.boot.resources.remove(toKey({ type, id }));
    }
  }
  putChanged(node, contents);
}

function listResources<T>(
  { boot: { resources } }: SimulatedNode,
  type: string,
): readonly BlockResource<T>[] {
  // The specs come from `contents/storage.ts`.
  return resources.list(toKey({ type, id: "" })) as readonly BlockResource<T>[];
}
