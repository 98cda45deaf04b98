import { uncordon } from "../../workflows/operations/cordon.ts";
import { type ActInputs, operate, outcomeView } from "../_kit/operate.ts";
import { choice, type Command, duration, toggle } from "../_kit/mod.ts";
import type { OutcomeRow } from "../../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof uncordon = uncordon;

/** Inputs of the command. */
export interface UncordonInputs extends Pick<ActInputs, "timeout"> {
  /** `--force`. */
  readonly force: boolean;
  /** `--only`. */
  readonly only: "any" | "ours";
}

/** `osctl node uncordon`: opens nodes for pods. */
export const command: Command<OutcomeRow, UncordonInputs> = {
  summary: "Open nodes for pods",
  description:
    `Opens nodes that were closed with "node cordon" or "node drain". One that somebody else closed is opened only with
--force; with --only ours it is left as it is without a complaint.`,
  inputs: {
    force: toggle("also open what somebody else closed", { short: "f" }),
    only: choice("which to open", ["any", "ours"], { initial: "any" }),
    timeout: duration("longest wait", { initial: "30s" }),
  },
  examples: ["node uncordon --nodes 10.0.0.5"],
  view: outcomeView,
  run(context) {
    const { force, only } = context.input;
    return operate(context, { operation, input: { force, only } });
  },
};
