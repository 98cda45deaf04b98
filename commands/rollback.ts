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
  summary: "Roll nodes back to the previous installation",
  description:
    `A node keeps the system it ran before an upgrade, and reboots into it. Waits until the node runs it. A node without a
previous installation refuses and keeps running.`,
  stepNames: ["node.rollback"],
  inputs: { ...operateInputs, ...budgetInputs },
  examples: ["rollback --nodes 10.0.0.5"],
  ...changing,
};
