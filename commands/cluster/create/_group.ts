import type { Group } from "../../_kit/mod.ts";

/** `osctl cluster create`: makes a cluster on this machine. */
export const group: Group = {
  summary: "Create a cluster on this machine",
};
