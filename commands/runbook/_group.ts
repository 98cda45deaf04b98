import type { Group } from "../_kit/mod.ts";

/** `osctl runbook`: procedures over many nodes. */
export const group: Group = {
  summary: "Write, check, plan and run runbooks",
  section: "cluster",
  noStep: "a runbook is used with use",
};
