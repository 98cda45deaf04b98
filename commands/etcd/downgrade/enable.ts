import { etcdDowngrade } from "../../../workflows/operations/etcd/upkeep.ts";
import { actInputs, operate, outcomeView } from "../../_kit/operate.ts";
import {
  type AnyCommand,
  type Command,
  type Values,
  word,
} from "../../_kit/mod.ts";
import type { OutcomeRow } from "../../../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof etcdDowngrade = etcdDowngrade;

const inputs = {
  version: word("version of etcd, such as 3.5"),
  ...actInputs("30s"),
};

/** `osctl etcd downgrade enable`: makes etcd ready for an older version. */
export const command: AnyCommand = {
  summary: "Make etcd ready for an older version",
  oneNode: true,
  inputs,
  examples: ["etcd downgrade enable 3.5 --nodes 10.0.0.2"],
  view: outcomeView,
  async *run(context) {
    await context.nodes.only("etcd downgrade enable");
    const { version } = context.input;
    yield* operate(context, { operation, input: { version } });
  },
} satisfies Command<OutcomeRow, Values<typeof inputs>>;
