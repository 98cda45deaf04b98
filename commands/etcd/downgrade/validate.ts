import { single } from "../../../transport/call/reply.ts";
import { type Command, table, type Values, word } from "../../_kit/mod.ts";
import { oneNode } from "../../_kit/one_node.ts";

/** Result of a node. Source: `MachineService.EtcdDowngradeValidate`. */
interface ValidateRow {
  readonly node: string;
  readonly clusterVersion: string;
  readonly message: string;
}

const inputs = { version: word("etcd version, such as 3.5") };

export const command = {
  summary: "Check whether etcd can be downgraded",
  inputs,
  examples: ["etcd downgrade validate 3.5 --nodes 10.0.0.2"],
  view: table({
    NODE: ({ node }) => node,
    MESSAGE: { cell: ({ message }) => message, prose: true },
  }),
  async *run(context) {
    const { input: { version } } = context;
    const name = "etcd downgrade validate";
    const { node, machine } = await oneNode(context, name);
    const { messages } = await machine.etcdDowngradeValidate({ version });
    const clusterVersion = single(messages).clusterDowngrade?.clusterVersion ??
      "";
    yield {
      node,
      clusterVersion,
      message: `downgrade validate success, cluster version ${clusterVersion}`,
    };
  },
} satisfies Command<ValidateRow, Values<typeof inputs>>;
