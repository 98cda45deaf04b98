import type { Group } from "../_kit/mod.ts";

/** `osctl wipe`: what is wiped without resetting a node. */
export const group: Group = {
  summary: "Wipe block devices",
};
