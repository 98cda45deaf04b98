import type { Group } from "../_kit/mod.ts";

/** `osctl cluster`: clusters on this machine. */
export const group: Group = {
  summary: "Create, show and destroy clusters on this machine",
  section: "cluster",
  noStep: "it manages clusters on this machine",
};
