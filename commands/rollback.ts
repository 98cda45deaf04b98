import { rollback } from "../workflows/operations/node/rollback.ts";
import { budgetInputs } from "./_kit/node_inputs.ts";
import type { AnyCommand } from "./_kit/mod.ts";
import { type AnyChange, changing, operateInputs } from "./_kit/operate.ts";

export const change: AnyChange = {
  operation: rollback,
  prepare: () => ({ input: {} }),
  safeAfter: false,
};

export const command: AnyCommand = {
  summary: "Roll nodes back to the previous installation",
  description:
    `Nodes keep the system they ran before the last upgrade, and reboot into it. Waits until each node runs it. A node
without a previous installation refuses, and nothing changes.`,
  stepNames: ["node.rollback"],
  inputs: { ...operateInputs, ...budgetInputs },
  examples: ["rollback --nodes 10.0.0.5"],
  ...changing,
};
