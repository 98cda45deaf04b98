import { rollback } from "../workflows/operations/rollback.ts";
import { budgetInputs } from "./_kit/node_inputs.ts";
import type { AnyCommand } from "./_kit/mod.ts";
import { type AnyChange, changing, operateInputs } from "./_kit/operate.ts";

/** What the command changes. */
export const change: AnyChange = {
  operation: rollback,
  prepare: () => ({ input: {} }),
  safeAfter: false,
};

/** `osctl rollback`: starts the system that was installed before. */
export const command: AnyCommand = {
  summary: "Return nodes to the installation before",
  description:
    `A node keeps the system it had before an upgrade, and reboots into it. It counts as done when another system runs in
another boot; a node without one to go back to says so, and goes on as before.`,
  stepNames: ["node.rollback"],
  inputs: { ...operateInputs, ...budgetInputs },
  examples: ["rollback --nodes 10.0.0.5"],
  ...changing,
};
