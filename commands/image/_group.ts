import type { Group } from "../_kit/mod.ts";

/** `osctl image`: container images of nodes and of releases. */
export const group: Group = {
  summary: "List and pull container images",
};
