import type { Group } from "../_kit/mod.ts";

/** `osctl inject`: additions to Kubernetes manifests. */
export const group: Group = {
  summary: "Add node API access to Kubernetes manifests",
  section: "configuration",
};
