/** LVM objects and software RAID arrays on user disks. */

import type { UserDisk } from "../../state/node_disk.ts";
import { type NodeResource, resource } from "./content.ts";
import { prettySize, sizePartitions } from "./storage.ts";

/** File system type of an LVM physical volume. */
export const lvmLabel = "lvm2-pv";

/** Size of each logical volume, in bytes. */
const volumeSize = 2 ** 30;

export function arrayPath(name: string): string {
  return `/dev/disk/by-id/md-name-${name}`;
}

/** LVM objects and arrays, as resources. */
export function volumeContents(
  disks: readonly UserDisk[],
): readonly NodeResource[] {
  const arrays = Map.groupBy(disks, ({ array = "" }) => array);
  arrays.delete("");
  return [
    ...disks.flatMap(lvmContents),
    ...[...arrays].map(([name, members]) =>
      resource("MDArrayStatuses.storage", name, "storage.MDArrayController", {
        level: "raid1",
        device: arrayPath(name),
        members: members.map((disk) => `/dev/${disk.name}`),
        status: "ready",
        raidDevices: members.length,
        uuid: `a0a0a0a0:00000000:00000000:${name.length}`,
        name,
        metadata: "1.2",
        arrayState: "clean",
        syncAction: "idle",
      })
    ),
  ];
}

function lvmContents(
  disk: UserDisk,
): readonly NodeResource[] {
  const { name, partitions, group } = disk;
  const size = sizePartitions(disk);
  const used = volumeSize * (group?.volumes.length ?? 0);
  const bytes = (of: string, amount: number) => ({
    [of.toLowerCase()]: String(amount),
    [`pretty${of}`]: prettySize(amount),
  });
  return [
    ...partitions.filter(({ filesystem }) => filesystem === lvmLabel).map((
      { number },
    ) =>
      status("LVMPhysicalVolumeStatuses", `${name}${number}`, {
        device: `/dev/${name}${number}`,
        vgName: group?.name ?? "",
        uuid: `pv-${name}${number}`,
        format: "lvm2",
        allocatable: "allocatable",
        inUse: group ? "used" : "",
        ...bytes("Size", size),
        ...bytes("Free", size - used),
        used: String(used),
      })
    ),
    ...group === undefined ? [] : [
      status("LVMVolumeGroupStatuses", group.name, {
        name: group.name,
        uuid: `vg-${group.name}`,
        format: "lvm2",
        permissions: "writeable",
        ...bytes("Size", size),
        ...bytes("Free", size - used),
        lvCount: String(group.volumes.length),
        pvCount: "1",
      }),
      ...group.volumes.map((volume) =>
        status("LVMLogicalVolumeStatuses", `${group.name}-${volume}`, {
          path: `/dev/${group.name}/${volume}`,
          name: volume,
          fullName: `${group.name}/${volume}`,
          vgName: group.name,
          uuid: `lv-${group.name}-${volume}`,
          layout: "linear",
          active: "active",
          ...bytes("Size", volumeSize),
        })
      ),
    ],
  ];
}

function status(type: string, id: string, spec: object): NodeResource {
  return resource(`${type}.storage`, id, "storage.LVMScanController", spec);
}
