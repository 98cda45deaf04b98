import type { Group } from "../_kit/mod.ts";

/** `osctl gen`: keys, certificates and configurations from nothing. */
export const group: Group = {
  summary: "Generate keys, certificates and machine configurations",
  section: "configuration",
};
