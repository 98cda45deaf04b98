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
    "Size of the disk; may start with ==, >=, <=, > or <",
    {
      optional: true,
      examples: [
        { title: "At least this size", value: ">= 100GB" },
        { title: "Exactly this size", value: "4GB" },
      ],
    },
  ),
  name: field(openText, "Not supported by nodes; kept for old files"),
  model: field(openText, "Model of the disk; may contain wildcards", {
    example: "Example SSD*",
  }),
  serial: field(openText, "Serial number; may contain wildcards", {
    example: "S0123*",
  }),
  modalias: field(openText, "Modalias; may contain wildcards", {
    example: "scsi:t-0x00*",
  }),
  uuid: field(openText, "UUID of the disk; may contain wildcards", {
    example: "7ad8b6f4-*",
  }),
  wwid: field(openText, "WWID of the disk; may contain wildcards", {
    example: "eui.0025388*",
  }),
  type: field(words(["ssd", "hdd", "nvme", "sd"]), "Type of the disk", {
    example: "nvme",
  }),
  busPath: field(openText, "Bus path of the disk; may contain wildcards", {
    example: "/pci0000:00/0000:00:17.0/ata1/*",
  }),
});

const extension: StructShape = struct({
  image: field(openText, "Image of the system extension", { always: true }),
});

/** How the system is put on a disk. */
export const install: StructShape = struct({
  disk: field(openText, "Disk to install to", {
    examples: [
      { value: "/dev/sda" },
      { title: "By a stable path", value: "/dev/disk/by-id/nvme-eui.00253885" },
    ],
  }),
  diskSelector: field(
    diskSelector,
    "Selects the disk by its properties; takes precedence over disk",
    { optional: true, example: { size: ">= 100GB", type: "nvme" } },
  ),
  extraKernelArgs: field(
    list(assignment),
    "Additional kernel arguments; a leading dash removes one",
    { deprecated: "" },
  ),
  image: field(
    openText,
    "Installer image; determines the installed version",
    { example: defaultImages.installer },
  ),
  extensions: field(
    list(extension),
    "System extensions to install",
    { deprecated: "" },
  ),
  bootloader: field(boolean, "Installs a boot loader", {
    optional: true,
    deprecated: "",
  }),
  wipe: {
    ...flag("Wipes the disk before installation"),
    always: true,
  },
  legacyBIOSSupport: flag(
    "Sets the boot flag in the MBR for legacy BIOS firmware that needs it",
  ),
  grubUseUKICmdline: {
    ...flag("Makes GRUB use the kernel arguments of the UKI"),
    since: "1.12",
  },
});
