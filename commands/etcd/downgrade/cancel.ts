import { etcdDowngrade } from "../../../workflows/operations/etcd/upkeep.ts";
import {
  type ActInputs,
  actInputs,
  operate,
  outcomeView,
} from "../../_kit/operate.ts";
import type { Command } from "../../_kit/mod.ts";
import type { OutcomeRow } from "../../../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof etcdDowngrade = etcdDowngrade;

/** `osctl etcd downgrade cancel`: takes the readiness for an older version back. */
export const command: Command<OutcomeRow, ActInputs> = {
  summary: "Cancel a downgrade of etcd",
  oneNode: true,
  inputs: actInputs("30s"),
  examples: ["etcd downgrade cancel --nodes 10.0.0.2"],
  view: outcomeView,
  async *run(context) {
    await context.nodes.only("etcd downgrade cancel");
    yield* operate(context, { operation, input: { version: "" } });
  },
};
