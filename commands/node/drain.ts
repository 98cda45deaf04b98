import { drain } from "../../workflows/operations/kubernetes/drain.ts";
import { budgetInputs, waitFlag } from "../_kit/node_inputs.ts";
import { type AnyCommand, toggle, type Values } from "../_kit/mod.ts";
import { type AnyChange, type Change, changing } from "../_kit/operate.ts";

const inputs = {
  force: toggle("also move pods that nobody makes again", { short: "f" }),
  deleteEmptydirData: toggle("also move pods with data of their own"),
  keepCordon: toggle("leave the node closed when it cannot be drained"),
  timeout: waitFlag("5m0s"),
  ...budgetInputs,
};

/** What the command changes. */
export const change: AnyChange = {
  operation: drain,
  prepare({ force, deleteEmptydirData, keepCordon }, { run }) {
    const owner = run ?? drain.name;
    return { input: { force, deleteEmptydirData, keepCordon, owner } };
  },
  nodeTimeoutMs: 5 * 60_000,
  volatile: true,
  changedFacts: [],
  codes: { "timed-out": "drain-blocked" },
} satisfies Change<Values<typeof inputs>>;

/** `osctl node drain`: moves pods off nodes. */
export const command: AnyCommand = {
  summary: "Move pods off nodes",
  description:
    `The node is cordoned, and its pods are asked to go; those of daemon sets and static ones stay. Pods that a
disruption budget holds back are asked again until the time is up. Nothing happens on a node with pods that nobody
makes again, or that have data in volumes of their own, unless a flag says that those may be lost.

When it fails, or you interrupt it, a node that it has closed is opened again. A node that was closed before stays so.
Where there is no other node that pods could be placed on, there is nothing to do.`,
  inputs,
  examples: [
    "node drain --nodes 10.0.0.5",
    "node drain --delete-emptydir-data --timeout 15m --nodes 10.0.0.5",
  ],
  ...changing,
};
