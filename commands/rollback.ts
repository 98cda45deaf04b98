import { rollback } from "../workflows/operations/rollback.ts";
import { budgetInputs } from "./_kit/budget_input.ts";
import type { AnyCommand, Command, Values } from "./_kit/mod.ts";
import { operate, operateInputs, outcomeView } from "./_kit/operate.ts";
import type { OutcomeRow } from "../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof rollback = rollback;

const inputs = { ...operateInputs, ...budgetInputs };

/** `osctl rollback`: starts the system that was installed before. */
export const command: AnyCommand = {
  summary: "Return nodes to the installation before",
  description:
    `A node keeps the system it had before an upgrade, and reboots into it. It counts as done when another system runs in
another boot; a node without one to go back to says so, and goes on as before.`,
  stepNames: ["node.rollback"],
  inputs,
  examples: ["rollback --nodes 10.0.0.5"],
  view: outcomeView,
  run: (context) => operate(context, { operation, input: {} }),
} satisfies Command<OutcomeRow, Values<typeof inputs>>;
