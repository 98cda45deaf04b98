import { upgradeInstall } from "../../workflows/operations/upgrade/install.ts";
import type { AnyCommand, Command, Values } from "../_kit/mod.ts";
import { operate, operateInputs, outcomeView } from "../_kit/operate.ts";
import type { OutcomeRow } from "../../workflows/operations/run_on_nodes.ts";
import { allowInput, imageInputs, upgradeInput } from "../_upgrade_inputs.ts";

/** What the command does to a node. */
export const operation: typeof upgradeInstall = upgradeInstall;

const inputs = { ...imageInputs, ...operateInputs, allow: allowInput };

/** `osctl upgrade install`: the first half of an upgrade. */
export const command: AnyCommand = {
  summary: "Install another version beside the one that runs",
  description:
    `The next boot starts what was installed; nothing stops before. Nodes since v1.13 can do that; older ones reboot as part of
the upgrade and are refused. In one boot a node is given one installation, for a second would destroy the way back.`,
  inputs,
  examples: ["upgrade install --nodes @workers --to v1.13.1"],
  view: outcomeView,
  async *run(context) {
    const { input } = context;
    const wanted = upgradeInput(input, { allow: input.allow });
    yield* operate(context, { operation, input: wanted });
  },
} satisfies Command<OutcomeRow, Values<typeof inputs>>;
