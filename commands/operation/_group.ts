import type { Group } from "../_kit/mod.ts";

/** `osctl operation`: what was begun on nodes, and how it goes on. */
export const group: Group = {
  summary: "List operations that were begun, and finish them",
  noStep: "a run has a journal of its own",
};
