import { etcdDowngrade } from "../../../workflows/operations/etcd_upkeep.ts";
import type { Command } from "../../_kit/mod.ts";
import {
  operate,
  type OutcomeRow,
  outcomeView,
  withoutFlags,
} from "../../_kit/operate.ts";

/** What the command does to a node. */
export const operation: typeof etcdDowngrade = etcdDowngrade;

/** `osctl etcd downgrade cancel`: takes the readiness for an older version back. */
export const command: Command<OutcomeRow> = {
  summary: "Cancel a downgrade of etcd",
  inputs: {},
  examples: ["etcd downgrade cancel --nodes 10.0.0.2"],
  view: outcomeView,
  async *run(context) {
    await context.nodes.only("etcd downgrade cancel");
    const plain = { ...context, input: withoutFlags };
    yield* operate(plain, { operation, input: { version: "" } });
  },
};
