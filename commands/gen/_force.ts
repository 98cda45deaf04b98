/** The flag that every command of the group takes. */

import { toggle } from "../_kit/mod.ts";
import type { Inputs } from "../_kit/inputs.ts";

/** Inputs that all commands of the group have. */
export interface ForceInputs {
  /** `--force`: replace files that are there already. */
  readonly force: boolean;
}

/** Declarations of {@linkcode ForceInputs}. */
export const forceInputs: Inputs<ForceInputs> = {
  force: toggle("replace files that are there already", { short: "f" }),
};
