/** Disk methods: `StorageService`, `LVMService` and `MDService`. */

import { RpcError } from "../../errors.ts";
import type { LVMServiceDefinition } from "../../transport/gen/machine_lvm.ts";
import type { MDServiceDefinition } from "../../transport/gen/machine_md.ts";
import {
  type BlockDeviceWipeDescriptor,
  BlockDeviceWipeDescriptor_Method as Method,
  Disk_DiskType as DiskType,
  type StorageServiceDefinition,
} from "../../transport/gen/storage.ts";
import { enumName } from "../../transport/node/enum_name.ts";
import {
  blockResources,
  changeGroup,
  isMounted,
  removeArray,
  removePartition,
  wipeDevice,
} from "../node/block_devices.ts";
import { lvmLabel } from "../node/contents/volumes.ts";
import type { Handlers } from "./handlers.ts";
import type { SimulatedNode } from "../state/node.ts";

/** `Disks` and `BlockDeviceWipe`. */
export const storage: Handlers<typeof StorageServiceDefinition> = {
  disks(_, { node }) {
    const systemDisk = node.disk.bootEntries === undefined ? undefined : "vda";
    return {
      messages: [{
        disks: blockResources(node).disks.map(({ id, spec }) => ({
          deviceName: `/dev/${id}`,
          size: BigInt(spec.size),
          modalias: spec.modalias ?? "",
          type: spec.rotational ? DiskType.HDD : DiskType.UNKNOWN,
          busPath: spec.bus_path ?? "",
          systemDisk: id === systemDisk,
          subsystem: spec.sub_system ?? "",
          readonly: spec.readonly,
        })),
      }],
    };
  },
  async blockDeviceWipe({ devices }, { node }) {
    for (const device of devices) checkWipe(node, device);
    for (const device of devices) await wipe(node, device);
    return { messages: [{}] };
  },
};

/** Removals of LVM objects. */
export const lvm: Handlers<typeof LVMServiceDefinition> = {
  async logicalVolumeRemove({ volumeGroup, logicalVolume }, { node }) {
    if (volumeGroup === "" || logicalVolume === "") {
      throw invalid("volume_group and logical_volume must be set");
    }
    const isRemoved = changeGroup(
      node,
      (group) =>
        group.name === volumeGroup && group.volumes.includes(logicalVolume)
          ? {
            ...group,
            volumes: group.volumes.filter((one) => one !== logicalVolume),
          }
          : group,
    );
    if (!isRemoved) throw noVolume();
    await node.save();
    return {};
  },
  async volumeGroupRemove({ volumeGroup }, { node }) {
    if (volumeGroup === "") throw invalid("volume_group must be set");
    const isRemoved = changeGroup(
      node,
      (group) => group.name === volumeGroup ? undefined : group,
    );
    if (!isRemoved) throw noVolume();
    await node.save();
    return {};
  },
  async physicalVolumeRemove({ device }, { node }) {
    if (device === "") throw invalid("device must be set");
    const name = device.replace(/^\/dev\//, "");
    const disk = node.disk.userDisks.find((one) =>
      one.partitions.some(({ number, filesystem }) =>
        filesystem === lvmLabel && `${one.name}${number}` === name
      )
    );
    if (disk === undefined) throw noVolume();
    if (disk.group !== undefined) throw inUse("lvm: resource in use");
    wipeDevice(node, name);
    await node.save();
    return {};
  },
};

function noVolume(): RpcError {
  return new RpcError("NOT_FOUND", "lvm: resource not found");
}

/** `Destroy`. */
export const softwareRaid: Handlers<typeof MDServiceDefinition> = {
  async destroy({ device }, { node }) {
    if (device === "") throw invalid("device must be set");
    if (!device.startsWith("/dev/")) {
      throw invalid("device must be a full /dev path");
    }
    if (!removeArray(node, device)) {
      throw new RpcError("NOT_FOUND", "md: array not found");
    }
    await node.save();
    return {};
  },
};

function invalid(message: string): RpcError {
  return new RpcError("INVALID_ARGUMENT", message);
}

function checkWipe(
  node: SimulatedNode,
  { device, skipVolumeCheck }: BlockDeviceWipeDescriptor,
): void {
  const { devices, disks, volumes } = blockResources(node);
  const found = devices.find(({ id }) => id === device)?.spec;
  if (found === undefined) {
    throw new RpcError("NOT_FOUND", `blockdevice "${device}" not found`);
  }
  const disk = disks.find(({ id }) => id === (found.parent ?? device));
  if (disk?.spec.readonly) {
    throw inUse(`blockdevice "${device}" is read-only`);
  }
  if (skipVolumeCheck) return;
  for (const { id, spec } of volumes) {
    const name = parseName(spec.location);
    const used = [device, found.parent].find((one) =>
      one !== undefined && one === name
    ) ?? (parseName(spec.parentLocation) === device ? device : undefined);
    if (used !== undefined) {
      throw inUse(`blockdevice "${used}" is in use by volume "${id}"`);
    }
  }
}

async function wipe(
  node: SimulatedNode,
  { device, method, dropPartition }: BlockDeviceWipeDescriptor,
): Promise<void> {
  if (isMounted(node, device)) {
    throw inUse(`block device "${device}" is mounted or in use`);
  }
  if (method !== Method.FAST && method !== Method.ZEROES) {
    throw invalid(`unsupported wipe method ${enumName(Method, method)}`);
  }
  wipeDevice(node, device);
  if (dropPartition) removePartition(node, device);
  await node.save();
}

function parseName(location: string | undefined): string | undefined {
  return location?.replace(/^.*\//, "");
}

function inUse(message: string): RpcError {
  return new RpcError("FAILED_PRECONDITION", message);
}
