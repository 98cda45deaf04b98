import type { Group } from "../_kit/mod.ts";

/** `osctl machineconfig`: machine configurations in files. */
export const group: Group = {
  summary: "Generate, patch and compare machine configurations",
  aliases: ["mc"],
  section: "configuration",
};
