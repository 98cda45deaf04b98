import type { Group } from "../_kit/mod.ts";

/** `osctl ca`: the authorities that certify nodes and Kubernetes. */
export const group: Group = {
  summary: "Inspect the CAs of nodes and Kubernetes",
  section: "cluster",
};
