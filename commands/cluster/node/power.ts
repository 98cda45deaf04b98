import { chooseProvisioner, powerActions } from "../../../provisioners/mod.ts";
import { existingInputs, findCluster } from "../_cluster.ts";
import { localNodes } from "../_local_nodes.ts";
import {
  type Command,
  lines,
  rest,
  type Values,
  word,
} from "../../_kit/mod.ts";

/** A node that was powered on or off. */
interface PowerRow {
  readonly node: string;
  readonly action: string;
}

const inputs = {
  ...existingInputs,
  action: word("power action", { choices: powerActions }),
  node: rest("name or address of a node, or a selector", {
    least: 1,
    complete: "nodes",
  }),
};

export const command = {
  summary: "Switch nodes of a local cluster on or off",
  description:
    `"off" is like a power failure: nothing is stopped first. For an orderly stop use "osctl shutdown". "on" boots a node
that is off; "cycle" switches it off and on again. The command does not wait for the boot; use "osctl health" for that.

A node that is off stays off until it is switched on, even if its cluster is restarted.`,
  inputs,
  examples: [
    "cluster node power on os-default-worker-1",
    "cluster node power cycle os-default-controlplane-1",
    "cluster node power off @workers",
  ],
  view: lines(({ node, action }) => `${node} is ${states[action]}`),
  async *run(context) {
    const { input, environment, signal } = context;
    const place = await findCluster(context);
    const nodes = await localNodes(place, input.node);
    const action = powerActions.find((one) => one === input.action);
    if (action === undefined) return;
    const provisioner = await chooseProvisioner(place, environment);
    await provisioner.power(place, { action, nodes }, signal);
    for (const { name } of nodes) yield { node: name, action };
  },
} satisfies Command<PowerRow, Values<typeof inputs>>;

const states: Readonly<Record<string, string>> = {
  on: "switched on",
  off: "switched off",
  cycle: "switched off and on again",
};
