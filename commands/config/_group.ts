import type { Group } from "../_kit/mod.ts";

/** `osctl config`: the client configuration. */
export const group: Group = {
  summary: "Manage the client configuration file",
  section: "configuration",
};
