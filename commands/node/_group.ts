import type { Group } from "../_kit/mod.ts";

/** `osctl node`: nodes as Kubernetes has them. */
export const group: Group = {
  summary: "Close, empty and open nodes of Kubernetes",
};
