import {
  changeFaults,
  faultNames,
  type WantedFault,
  wantedFaults,
} from "../../../provisioners/mod.ts";
import { existingInputs, findCluster } from "../_cluster.ts";
import { localNodes } from "../_local_nodes.ts";
import {
  type Command,
  lines,
  optionalWord,
  type Values,
} from "../../_kit/mod.ts";

interface ClearRow {
  readonly node: string;
  readonly fault: string;
}

const inputs = {
  ...existingInputs,
  fault: optionalWord("fault to clear; default all", {
    choices: faultNames,
  }),
};

export const command = {
  summary: "Clear faults",
  description: "Without --nodes, on all nodes of the cluster.",
  inputs,
  examples: ["cluster fault clear", "cluster fault clear blackhole"],
  view: lines(({ fault, node }) => `Fault ${fault} is off in ${node}`),
  async *run(context) {
    const { input, globals, signal } = context;
    const place = await findCluster(context);
    const nodes = (await localNodes(place, globals.nodes)).flatMap(({ ips }) =>
      ips
    );
    const concerns = ({ fault, node }: WantedFault) =>
      nodes.includes(node) && (input.fault ?? fault) === fault;
    const cleared = (await wantedFaults(place)).filter(concerns);
    await changeFaults(
      place,
      (wanted) => wanted.filter((one) => !concerns(one)),
      signal,
    );
    for (const { node, fault } of cleared) yield { node, fault };
  },
} satisfies Command<ClearRow, Values<typeof inputs>>;
