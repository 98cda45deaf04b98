import {
  changeFaults,
  faultNames,
  knownFaults,
} from "../../../provisioners/mod.ts";
import { existingInputs, findCluster } from "../_cluster.ts";
import { localNodes } from "../_local_nodes.ts";
import {
  type Command,
  integer,
  lines,
  text,
  type Values,
  word,
} from "../../_kit/mod.ts";

/** An enabled fault. */
interface SetRow {
  readonly node: string;
  readonly fault: string;
}

const inputs = {
  ...existingInputs,
  fault: word("fault to inject", { choices: faultNames }),
  method: text("only calls of this method, such as Events"),
  calls: integer(
    "number of calls after which the fault clears itself; 0 for never",
    {
      initial: 0,
      least: 0,
    },
  ),
  afterMessages: integer(
    "number of messages of a stream to let through first",
    {
      initial: -1,
      least: -1,
      shown: "1",
    },
  ),
  ms: integer("delay, clock offset or duration in milliseconds", {
    initial: 0,
    shown: "depends on the fault",
  }),
  toNode: text(
    "target node of vip-moves, new address of address-moves, or node that no-route makes unreachable",
    {
      shown: "the last control plane",
    },
  ),
  tag: text("version that older-version reports"),
};

type SetInputs = Values<typeof inputs>;

export const command = {
  summary: "Inject a fault",
  description: "Without --nodes, on all nodes of the cluster.",
  inputs,
  examples: [
    "cluster fault set blackhole --nodes os-default-controlplane-1",
    "cluster fault set stream-drop --nodes @workers --method Logs --calls 1",
  ],
  view: lines(({ fault, node }) => `Fault ${fault} is on in ${node}`),
  async *run(context) {
    const { input, globals, signal } = context;
    const place = await findCluster(context);
    const nodes = (await localNodes(place, globals.nodes)).flatMap(({ ips }) =>
      ips.slice(0, 1)
    );
    const fault = knownFaults.find(({ name }) => name === input.fault)?.name;
    if (fault === undefined) return;
    const options = parseOptions(input);
    await changeFaults(place, (wanted) => [
      ...wanted.filter((one) =>
        one.fault !== fault || !nodes.includes(one.node)
      ),
      ...nodes.map((node) => ({ node, fault, options })),
    ], signal);
    for (const node of nodes) yield { node, fault };
  },
} satisfies Command<SetRow, SetInputs>;

function parseOptions(input: SetInputs) {
  return {
    method: input.method,
    ...(input.calls === 0 ? {} : { calls: input.calls }),
    ...(input.afterMessages < 0 ? {} : { afterMessages: input.afterMessages }),
    ...(input.ms === 0 ? {} : { ms: input.ms }),
    node: input.toNode,
    tag: input.tag,
  };
}
