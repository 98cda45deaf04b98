import { etcdForfeit } from "../../workflows/operations/etcd/upkeep.ts";
import {
  type ActInputs,
  actInputs,
  operate,
  outcomeView,
} from "../_kit/operate.ts";
import type { Command } from "../_kit/mod.ts";
import type { OutcomeRow } from "../../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof etcdForfeit = etcdForfeit;

/** `osctl etcd forfeit-leadership`: another member of etcd leads from now on. */
export const command: Command<OutcomeRow, ActInputs> = {
  summary: "Make another member the leader of etcd",
  description: "Nodes whose member does not lead are left alone.",
  inputs: actInputs("30s"),
  examples: ["etcd forfeit-leadership --nodes 10.0.0.2"],
  view: outcomeView,
  run: (context) => operate(context, { operation, input: null }),
};
