import type { Group } from "../_kit/mod.ts";

/** `osctl meta`: values of the META partition. */
export const group: Group = {
  summary: "Write and delete values of the META partition",
};
