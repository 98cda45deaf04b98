import { shutdown } from "../workflows/operations/shutdown.ts";
import {
  type AnyCommand,
  type Command,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { operate, operateInputs, outcomeView } from "./_kit/operate.ts";
import type { OutcomeRow } from "../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof shutdown = shutdown;

const inputs = {
  force: toggle("cordon and drain nothing first"),
  ...operateInputs,
};

/** `osctl shutdown`: switches nodes off, control planes one after the other. */
export const command: AnyCommand = {
  summary: "Shut nodes down",
  description:
    `A node counts as off when it does not answer any more; somebody else has to switch it on again. Control planes are shut
down one after the other, and only while etcd can spare them.`,
  stepNames: ["node.shutdown"],
  inputs,
  examples: [
    "shutdown --nodes 10.0.0.5",
    "shutdown --nodes @workers --yes",
  ],
  view: outcomeView,
  run: (context) =>
    operate(context, { operation, input: { force: context.input.force } }),
} satisfies Command<OutcomeRow, Values<typeof inputs>>;
