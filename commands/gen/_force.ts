/** The flag that every command of the group takes. */

import { toggle, type Values } from "../_kit/mod.ts";

/** Flags of every command of the group. */
export const forceInputs = {
  force: toggle("replace existing files", { short: "f" }),
};

/** Values of {@linkcode forceInputs}. */
export type ForceInputs = Values<typeof forceInputs>;
