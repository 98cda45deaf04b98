import { uncordon } from "../../workflows/operations/kubernetes/cordon.ts";
import { longestWait } from "../_kit/node_inputs.ts";
import { type AnyCommand, choice, toggle, type Values } from "../_kit/mod.ts";
import { type AnyChange, type Change, changing } from "../_kit/operate.ts";

const inputs = {
  force: toggle("also open what somebody else closed", { short: "f" }),
  only: choice("which to open", ["any", "ours"], { initial: "any" }),
  timeout: longestWait("30s"),
};

/** What the command changes. */
export const change: AnyChange = {
  operation: uncordon,
  prepare: ({ force, only }, { run }) => ({
    input: { force, only, ...(run !== undefined && { owner: run }) },
  }),
  volatile: true,
  changedFacts: [],
} satisfies Change<Values<typeof inputs>>;

/** `osctl node uncordon`: opens nodes for pods. */
export const command: AnyCommand = {
  summary: "Open nodes for pods",
  description:
    `Opens nodes that were closed with "node cordon" or "node drain". One that somebody else closed is opened only with
--force; with --only ours it is left as it is without a complaint.`,
  inputs,
  examples: ["node uncordon --nodes 10.0.0.5"],
  ...changing,
};
