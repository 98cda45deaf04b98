import { metaDelete } from "../../workflows/operations/meta.ts";
import { actInputs, operate, outcomeView } from "../_kit/operate.ts";
import { maintenanceInputs } from "../_kit/maintenance.ts";
import type { AnyCommand, Command, Values } from "../_kit/mod.ts";
import type { OutcomeRow } from "../../workflows/operations/run_on_nodes.ts";
import { keyArgument } from "./_key.ts";

/** What the command does to a node. */
export const operation: typeof metaDelete = metaDelete;

const inputs = {
  key: keyArgument,
  ...maintenanceInputs,
  ...actInputs("30s"),
};

/** `osctl meta delete`: deletes a value of the META partition. */
export const command: AnyCommand = {
  summary: "Delete a value of the META partition",
  description: `Nothing is sent to a node that does not have the key.`,
  inputs,
  examples: ["meta delete 0x0a --nodes 10.0.0.5"],
  view: outcomeView,
  run: (context) => {
    const { key } = context.input;
    return operate(context, { operation, input: { key } });
  },
} satisfies Command<OutcomeRow, Values<typeof inputs>>;
