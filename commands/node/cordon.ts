import { cordon } from "../../workflows/operations/kubernetes/cordon.ts";
import { operate, outcomeView } from "../_kit/operate.ts";
import {
  type AnyCommand,
  type Command,
  duration,
  type Values,
} from "../_kit/mod.ts";
import type { OutcomeRow } from "../../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof cordon = cordon;

const inputs = { timeout: duration("longest wait", { initial: "30s" }) };

/** `osctl node cordon`: closes nodes for new pods. */
export const command: AnyCommand = {
  summary: "Close nodes for new pods",
  description:
    `The node keeps its pods and gets no new ones. Who closed it is written down with it. One that was closed by somebody
else is left as it is. Nodes that are down can be closed, too.`,
  inputs,
  examples: ["node cordon --nodes 10.0.0.5"],
  view: outcomeView,
  run: (context) =>
    operate(context, { operation, input: { owner: operation.name } }),
} satisfies Command<OutcomeRow, Values<typeof inputs>>;
