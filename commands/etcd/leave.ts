import { etcdLeave } from "../../workflows/operations/etcd/leave.ts";
import type { Command } from "../_kit/mod.ts";
import {
  operate,
  type OperateInputs,
  operateInputs,
  outcomeView,
} from "../_kit/operate.ts";
import type { OutcomeRow } from "../../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof etcdLeave = etcdLeave;

/** `osctl etcd leave`: takes the member of one node out of etcd. */
export const command: Command<OutcomeRow, OperateInputs> = {
  summary: "Take the member of one node out of etcd",
  description:
    `The node loses its etcd data and stops serving the control plane. It is refused when the members that stay would have no
quorum. The call is never sent twice: when its reply is lost, the list of members tells what became of it.`,
  oneNode: true,
  inputs: operateInputs,
  examples: ["etcd leave --nodes 10.0.0.4"],
  view: outcomeView,
  async *run(context) {
    await context.nodes.only("etcd leave");
    yield* operate(context, { operation, input: null });
  },
};
