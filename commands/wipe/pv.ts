import type { AnyCommand } from "../_kit/mod.ts";
import { changing } from "../_kit/operate.ts";
import { volumeArgument, volumeChange, volumeInputs } from "./_volume.ts";

export const change = volumeChange("pv");

export const command: AnyCommand = {
  summary: "Remove the LVM label of a device",
  description:
    `Shows the data that will be lost and asks for confirmation before anything is sent. A node refuses a device that is in
a volume group: remove the group first, with "osctl wipe vg".`,
  inputs: {
    name: volumeArgument(
      "path of the device",
      /^\/dev\/\S+$/,
      "a path such as /dev/sda1",
    ),
    ...volumeInputs,
  },
  examples: ["wipe pv /dev/sda1 --nodes 10.0.0.5"],
  ...changing,
};
