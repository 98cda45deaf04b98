import { uncordon } from "../../workflows/operations/kubernetes/cordon.ts";
import { longestWait } from "../_kit/node_inputs.ts";
import { type AnyCommand, choice, toggle, type Values } from "../_kit/mod.ts";
import { type Change, changing } from "../_kit/operate.ts";

const inputs = {
  force: toggle("also uncordon nodes cordoned by another user or process", {
    short: "f",
  }),
  only: choice("whose nodes to uncordon", ["any", "ours"], { initial: "any" }),
  timeout: longestWait("30s"),
};

export const change = {
  operation: uncordon,
  prepare: ({ force, only }, { run }) => ({
    input: { force, only, ...(run !== undefined && { owner: run }) },
  }),
  volatile: true,
  changedFacts: [],
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Uncordon nodes",
  description:
    `Uncordons nodes that were cordoned with "node cordon" or "node drain". A node cordoned by another user
or process is uncordoned only with --force; with --only ours it is skipped without an error.`,
  inputs,
  examples: ["node uncordon --nodes 10.0.0.5"],
  ...changing,
};
