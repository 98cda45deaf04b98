/** Disks over the wire: `StorageService.Disks`. */

import {
  Disk_DiskType as DiskType,
  type StorageServiceDefinition,
} from "../../transport/gen/storage.ts";
import { diskSize } from "../contents/storage.ts";
import type { Handlers } from "../handlers.ts";

/** `Disks`. */
export const storage: Handlers<typeof StorageServiceDefinition> = {
  disks: () => ({
    messages: [{
      disks: [{
        deviceName: "/dev/vda",
        size: BigInt(diskSize),
        modalias: "virtio:d00000002v00001AF4",
        type: DiskType.HDD,
        busPath: "/pci0000:00/0000:00:06.0/virtio3",
        systemDisk: true,
        subsystem: "/sys/class/block",
      }],
    }],
  }),
};
