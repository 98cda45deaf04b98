import { drain } from "../../workflows/operations/kubernetes/drain.ts";
import { lockAllowance } from "../../workflows/runbooks/lock/refuse_locked.ts";
import { allowFlag } from "../_kit/guard.ts";
import { budgetInputs, waitFlag } from "../_kit/node_inputs.ts";
import { type AnyCommand, toggle, type Values } from "../_kit/mod.ts";
import { type Change, changing } from "../_kit/operate.ts";

const inputs = {
  force: toggle("also evict pods that no controller recreates", { short: "f" }),
  deleteEmptydirData: toggle("also evict pods with emptyDir data"),
  keepCordon: toggle("keep the node cordoned if it cannot be drained"),
  timeout: waitFlag("5m0s"),
  allow: allowFlag([lockAllowance]),
  ...budgetInputs,
};

export const change = {
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

export const command: AnyCommand = {
  summary: "Drain nodes",
  description:
    `Cordons the node and evicts its pods, except DaemonSet pods and static pods. Evictions that a PodDisruptionBudget
blocks are retried until --timeout. Nothing is evicted from a node with pods that no controller recreates, or with
emptyDir data, unless --force or --delete-emptydir-data is given. If the drain fails or is interrupted, a node that it
cordoned is uncordoned again; a node that was already cordoned stays cordoned. If there is no other node for the pods,
there is nothing to do.`,
  inputs,
  examples: [
    "node drain --nodes 10.0.0.5",
    "node drain --delete-emptydir-data --timeout 15m --nodes 10.0.0.5",
  ],
  ...changing,
};
