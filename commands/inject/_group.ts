import type { Group } from "../_kit/mod.ts";

/** `osctl inject`: additions to Kubernetes manifests. */
export const group: Group = {
  summary: "Add access to the node API to Kubernetes manifests",
  section: "configuration",
};
