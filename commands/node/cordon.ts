import { cordon } from "../../workflows/operations/kubernetes/cordon.ts";
import { longestWait } from "../_kit/node_inputs.ts";
import type { AnyCommand, Values } from "../_kit/mod.ts";
import { type Change, changing } from "../_kit/operate.ts";

const inputs = { timeout: longestWait("30s") };

export const change = {
  operation: cordon,
  prepare: (_, { run: owner = cordon.name }) => ({ input: { owner } }),
  volatile: true,
  changedFacts: [],
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Cordon nodes",
  description:
    `A cordoned node keeps its pods but gets no new ones. The node records who cordoned it; a node cordoned by another user or process
is left unchanged. Nodes that are down can be cordoned too.`,
  inputs,
  examples: ["node cordon --nodes 10.0.0.5"],
  ...changing,
};
