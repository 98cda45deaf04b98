import type { Group } from "../_kit/mod.ts";

/** `osctl ca`: the authorities that certify nodes and Kubernetes. */
export const group: Group = {
  summary: "Look at the authorities that certify nodes and Kubernetes",
  section: "cluster",
};
