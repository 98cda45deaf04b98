import { uncordon } from "../../workflows/operations/kubernetes/cordon.ts";
import { operate, outcomeView } from "../_kit/operate.ts";
import {
  type AnyCommand,
  choice,
  type Command,
  duration,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import type { OutcomeRow } from "../../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof uncordon = uncordon;

const inputs = {
  force: toggle("also open what somebody else closed", { short: "f" }),
  only: choice("which to open", ["any", "ours"], { initial: "any" }),
  timeout: duration("longest wait", { initial: "30s" }),
};

/** `osctl node uncordon`: opens nodes for pods. */
export const command: AnyCommand = {
  summary: "Open nodes for pods",
  description:
    `Opens nodes that were closed with "node cordon" or "node drain". One that somebody else closed is opened only with
--force; with --only ours it is left as it is without a complaint.`,
  inputs,
  examples: ["node uncordon --nodes 10.0.0.5"],
  view: outcomeView,
  run(context) {
    const { force, only } = context.input;
    return operate(context, { operation, input: { force, only } });
  },
} satisfies Command<OutcomeRow, Values<typeof inputs>>;
