import { chooseProvisioner } from "../../provisioners/mod.ts";
import { existingInputs, findCluster } from "./_cluster.ts";
import { localNodes } from "./_local_nodes.ts";
import { type Command, lines, strings, type Values } from "../_kit/mod.ts";

/** A node whose power was cycled. */
interface RebootedRow {
  readonly node: string;
}

const inputs = {
  ...existingInputs,
  node: strings("names or addresses of nodes, or selectors", {
    short: "n",
    shown: "all",
    complete: "nodes",
  }),
};

export const command = {
  summary: "Switch nodes of a local cluster off and on again",
  description:
    `Like a power failure: nothing is stopped first. The command does not wait for the boot; use "osctl health" for that. For
an orderly reboot use "osctl reboot".`,
  inputs,
  examples: ["cluster reboot", "cluster reboot --node os-default-worker-1"],
  view: lines(({ node }) => `${node} is rebooting`),
  async *run(context) {
    const { input, environment, signal } = context;
    const place = await findCluster(context);
    const nodes = await localNodes(place, input.node);
    const provisioner = await chooseProvisioner(place, environment);
    await provisioner.power(place, { action: "cycle", nodes }, signal);
    for (const { name } of nodes) yield { node: name };
  },
} satisfies Command<RebootedRow, Values<typeof inputs>>;
