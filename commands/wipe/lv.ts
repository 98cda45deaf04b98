import type { AnyCommand } from "../_kit/mod.ts";
import { changing } from "../_kit/operate.ts";
import { volumeArgument, volumeChange, volumeInputs } from "./_volume.ts";

export const change = volumeChange("lv");

export const command: AnyCommand = {
  summary: "Remove an LVM logical volume",
  description:
    `Shows the data that will be lost and asks for confirmation before anything is sent. A node refuses a volume that is in
use, and creates one of its configuration again, empty.`,
  inputs: {
    name: volumeArgument(
      "logical volume, with its group: VG/LV",
      /^[^/\s]+\/[^/\s]+$/,
      "a group and a volume such as data/logs",
    ),
    ...volumeInputs,
  },
  examples: ["wipe lv data/logs --nodes 10.0.0.5"],
  ...changing,
};
