/** How many nodes a command may take away at once. */

import { type Flag, InputProblem, text } from "./inputs.ts";

/** Values of {@linkcode budgetInputs}. */
export interface BudgetInputs {
  /** `--max-unavailable`: a number, or a share such as `25%`. */
  readonly maxUnavailable: string | undefined;
}

/** Flags of commands that take nodes away. */
export const budgetInputs: {
  readonly [Name in keyof BudgetInputs]: Flag<BudgetInputs[Name]>;
} = {
  maxUnavailable: {
    ...text("nodes that may be away at once: a number, or a share of them", {
      shown: "all workers, one control plane",
    }),
    parse(value) {
      if (/^[1-9]\d*$|^(?:100|[1-9]\d?)%$/.test(value)) return value;
      throw new InputProblem(
        'must be a number of nodes, or a share such as "25%"',
      );
    },
  },
};
