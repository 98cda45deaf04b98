import type { Group } from "../_kit/mod.ts";

/** `osctl node`: nodes as Kubernetes has them. */
export const group: Group = {
  summary: "Cordon, drain and uncordon nodes",
};
