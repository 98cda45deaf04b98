import type { Group } from "../_kit/mod.ts";

/** `osctl doctor`: what is wrong, and what to do about it. */
export const group: Group = {
  summary: "Diagnose problems",
};
