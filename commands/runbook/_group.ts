import type { Group } from "../_kit/mod.ts";

/** `osctl runbook`: procedures over many nodes. */
export const group: Group = {
  summary: "Write, check and run procedures over many nodes",
  section: "cluster",
  noStep: "a runbook is used with use",
};
