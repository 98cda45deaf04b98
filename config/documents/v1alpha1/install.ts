/** `machine.install`. */

import { defaultImages } from "../../images.ts";
import {
  assignment,
  boolean,
  openText,
  sizeCondition,
  words,
} from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { field, flag, list, struct } from "../shapes.ts";

const diskSelector: StructShape = struct({
  size: field(
    sizeCondition,
    "Size to compare with, after one of == >= <= > <",
    {
      optional: true,
      examples: [
        { title: "At least this size", value: ">= 100GB" },
        { title: "Exactly this size", value: "4GB" },
      ],
    },
  ),
  name: field(openText, "Not supported by any node; kept for old files"),
  model: field(openText, "Pattern for the model", { example: "Example SSD*" }),
  serial: field(openText, "Pattern for the serial number", {
    example: "S0123*",
  }),
  modalias: field(openText, "Pattern for the kernel's alias of the device", {
    example: "scsi:t-0x00*",
  }),
  uuid: field(openText, "Pattern for the UUID of the device", {
    example: "7ad8b6f4-*",
  }),
  wwid: field(openText, "Pattern for the World Wide Identifier", {
    example: "eui.0025388*",
  }),
  type: field(words(["ssd", "hdd", "nvme", "sd"]), "What kind of disk it is", {
    example: "nvme",
  }),
  busPath: field(openText, "Pattern for the place on the bus", {
    example: "/pci0000:00/0000:00:17.0/ata1/*",
  }),
});

const extension: StructShape = struct({
  image: field(openText, "Image of the extension", { always: true }),
});

/** How the system is put on a disk. */
export const install: StructShape = struct({
  disk: field(openText, "Disk that is written", {
    examples: [
      { value: "/dev/sda" },
      { title: "By a stable name", value: "/dev/disk/by-id/nvme-eui.00253885" },
    ],
  }),
  diskSelector: field(
    diskSelector,
    "Finds the disk by what it is; wins over disk",
    { optional: true, example: { size: ">= 100GB", type: "nvme" } },
  ),
  extraKernelArgs: field(
    list(assignment),
    "Further parameters of the kernel; a leading dash removes one",
    { deprecated: "" },
  ),
  image: field(
    openText,
    "Image that installs; decides which version the node gets",
    { example: defaultImages.installer },
  ),
  extensions: field(
    list(extension),
    "System extensions that are installed along",
    { deprecated: "" },
  ),
  bootloader: field(boolean, "A boot loader is installed", {
    optional: true,
    deprecated: "",
  }),
  wipe: {
    ...flag("Everything on the disk is erased before the installation"),
    always: true,
  },
  legacyBIOSSupport: flag(
    "The partition table also boots on firmware that wants a boot flag",
  ),
  grubUseUKICmdline: {
    ...flag("The boot loader takes kernel parameters from the boot image"),
    since: "1.12",
  },
});
