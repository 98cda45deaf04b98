import { etcdDefrag } from "../../workflows/operations/etcd/upkeep.ts";
import {
  type ActInputs,
  actInputs,
  operate,
  outcomeView,
} from "../_kit/operate.ts";
import type { Command } from "../_kit/mod.ts";
import type { OutcomeRow } from "../../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof etcdDefrag = etcdDefrag;

/** `osctl etcd defrag`: gives back the room that deleted data took. */
export const command: Command<OutcomeRow, ActInputs> = {
  summary: "Defragment the etcd database of one node",
  description:
    "The member answers nobody meanwhile, which may take minutes; so one node at a time, the leader last.",
  oneNode: true,
  inputs: actInputs("10m0s"),
  examples: ["etcd defrag --nodes 10.0.0.2"],
  view: outcomeView,
  async *run(context) {
    await context.nodes.only("etcd defrag");
    yield* operate(context, { operation, input: null });
  },
};
