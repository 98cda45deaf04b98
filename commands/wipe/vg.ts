import type { AnyCommand } from "../_kit/mod.ts";
import { changing } from "../_kit/operate.ts";
import { volumeArgument, volumeChange, volumeInputs } from "./_volume.ts";

export const change = volumeChange("vg");

export const command: AnyCommand = {
  summary: "Remove an LVM volume group with its logical volumes",
  description:
    `Shows the data that will be lost and asks for confirmation before anything is sent. All logical volumes of the group
are removed, then the group. Its devices remain physical volumes: remove those with "osctl wipe pv".`,
  inputs: {
    name: volumeArgument(
      "volume group",
      /^[^/\s]+$/,
      "the name of a group such as data",
    ),
    ...volumeInputs,
  },
  examples: ["wipe vg data --nodes 10.0.0.5"],
  ...changing,
};
