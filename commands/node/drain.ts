import { drain } from "../../workflows/operations/kubernetes/drain.ts";
import { operate, outcomeView } from "../_kit/operate.ts";
import { budgetInputs, waitFlag } from "../_kit/budget_input.ts";
import {
  type AnyCommand,
  type Command,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import type { OutcomeRow } from "../../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof drain = drain;

const inputs = {
  force: toggle("also move pods that nobody makes again", { short: "f" }),
  deleteEmptydirData: toggle("also move pods with data of their own"),
  keepCordon: toggle("leave the node closed when it cannot be drained"),
  timeout: waitFlag("5m0s"),
  ...budgetInputs,
};

/** `osctl node drain`: moves pods off nodes. */
export const command: AnyCommand = {
  summary: "Move pods off nodes",
  description:
    `The node is closed for new pods, and its pods are asked to go; those of daemon sets and static ones stay. Pods that a
disruption budget holds back are asked again until the time is up. Nothing happens on a node with pods that nobody
makes again, or that have data in volumes of their own, unless a flag says that those may be lost.

When it fails, or you interrupt it, a node that it has closed is opened again. A node that was closed before stays so.
Where there is no other node that pods could be placed on, there is nothing to do.`,
  inputs,
  examples: [
    "node drain --nodes 10.0.0.5",
    "node drain --delete-emptydir-data --timeout 15m --nodes 10.0.0.5",
  ],
  view: outcomeView,
  run(context) {
    const { timeout: _, maxUnavailable: __, ...flags } = context.input;
    return operate(context, {
      operation,
      nodeTimeout: 5 * 60_000,
      input: { ...flags, owner: operation.name },
    });
  },
} satisfies Command<OutcomeRow, Values<typeof inputs>>;
