import type { Group } from "../../_kit/mod.ts";

/** `osctl gen secureboot`: what firmware and boot images need to trust each other. */
export const group: Group = {
  summary: "Generate keys and signature databases for secure boot",
};
