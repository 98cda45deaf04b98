import type { AnyCommand } from "../_kit/mod.ts";
import { changing } from "../_kit/operate.ts";
import { volumeArgument, volumeChange, volumeInputs } from "./_volume.ts";

export const change = volumeChange("md");

export const command: AnyCommand = {
  summary: "Remove a software RAID array",
  description:
    `Shows the data that will be lost and asks for confirmation before anything is sent. The array is stopped, and its
members are no longer part of one. A node refuses an array that is in use.`,
  inputs: {
    name: volumeArgument(
      "path of the array",
      /^\/dev\/\S+$/,
      "a path such as /dev/disk/by-id/md-name-data",
    ),
    ...volumeInputs,
  },
  examples: ["wipe md /dev/disk/by-id/md-name-data --nodes 10.0.0.5"],
  ...changing,
};
