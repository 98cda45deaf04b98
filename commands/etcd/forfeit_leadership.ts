import { etcdForfeit } from "../../workflows/operations/etcd_upkeep.ts";
import type { Command } from "../_kit/mod.ts";
import {
  operate,
  type OutcomeRow,
  outcomeView,
  withoutFlags,
} from "../_kit/operate.ts";

/** What the command does to a node. */
export const operation: typeof etcdForfeit = etcdForfeit;

/** `osctl etcd forfeit-leadership`: another member of etcd leads from now on. */
export const command: Command<OutcomeRow> = {
  summary: "Make another member the leader of etcd",
  description: "Nodes whose member does not lead are left alone.",
  inputs: {},
  examples: ["etcd forfeit-leadership --nodes 10.0.0.2"],
  view: outcomeView,
  run: (context) =>
    operate({ ...context, input: withoutFlags }, { operation, input: null }),
};
