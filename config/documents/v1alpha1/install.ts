/** `machine.install`. */

import { defaultImages } from "../../default_images.ts";
import {
  assignment,
  boolean,
  openText,
  sizeCondition,
  words,
} from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { list, struct } from "../shapes.ts";
import { flag } from "./flag.ts";

const diskSelector: StructShape = struct({
  size: {
    shape: sizeCondition,
    optional: true,
    summary: "Size to compare with, after one of == >= <= > <",
    examples: [
      { title: "At least this size", value: ">= 100GB" },
      { title: "Exactly this size", value: "4GB" },
    ],
  },
  name: {
    shape: openText,
    summary: "Not supported by any node; stands here for old files",
  },
  model: {
    shape: openText,
    summary: "Pattern for the model",
    examples: [{ value: "Example SSD*" }],
  },
  serial: {
    shape: openText,
    summary: "Pattern for the serial number",
    examples: [{ value: "S0123*" }],
  },
  modalias: {
    shape: openText,
    summary: "Pattern for the kernel's alias of the device",
    examples: [{ value: "scsi:t-0x00*" }],
  },
  uuid: {
    shape: openText,
    summary: "Pattern for the UUID of the device",
    examples: [{ value: "7ad8b6f4-*" }],
  },
  wwid: {
    shape: openText,
    summary: "Pattern for the World Wide Identifier",
    examples: [{ value: "eui.0025388*" }],
  },
  type: {
    shape: words(["ssd", "hdd", "nvme", "sd"]),
    summary: "What kind of disk it is",
    examples: [{ value: "nvme" }],
  },
  busPath: {
    shape: openText,
    summary: "Pattern for the place on the bus",
    examples: [{ value: "/pci0000:00/0000:00:17.0/ata1/*" }],
  },
});

const extension: StructShape = struct({
  image: { shape: openText, always: true, summary: "Image of the extension" },
});

/** How the system is put on a disk. */
export const install: StructShape = struct({
  disk: {
    shape: openText,
    summary: "Disk that is written",
    examples: [
      { value: "/dev/sda" },
      { title: "By a stable name", value: "/dev/disk/by-id/nvme-eui.00253885" },
    ],
  },
  diskSelector: {
    shape: diskSelector,
    optional: true,
    summary: "Finds the disk by what it is; wins over disk",
    examples: [{ value: { size: ">= 100GB", type: "nvme" } }],
  },
  extraKernelArgs: {
    shape: list(assignment),
    summary: "Further parameters of the kernel; a leading dash removes one",
    deprecated: "",
  },
  image: {
    shape: openText,
    summary: "Image that installs; decides which version the node gets",
    examples: [{ value: defaultImages.installer }],
  },
  extensions: {
    shape: list(extension),
    summary: "System extensions that are installed along",
    deprecated: "",
  },
  bootloader: {
    shape: boolean,
    optional: true,
    summary: "A boot loader is installed",
    deprecated: "",
  },
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
