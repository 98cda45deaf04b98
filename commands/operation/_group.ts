import type { Group } from "../_kit/mod.ts";

/** `osctl operation`: what was begun on nodes, and how it goes on. */
export const group: Group = {
  summary: "List and resume unfinished operations",
  noStep: "a run has its own journal",
};
