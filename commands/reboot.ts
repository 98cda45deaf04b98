import { reboot } from "../workflows/operations/node/reboot.ts";
import { budgetInputs, drainInputs } from "./_kit/node_inputs.ts";
import {
  type Change,
  changing,
  operateInputs,
  progressInput,
} from "./_kit/operate.ts";
import { type AnyCommand, choice, type Values } from "./_kit/mod.ts";

const inputs = {
  mode: choice(
    'reboot mode: "powercycle" skips kexec, "force" does not stop services first',
    ["default", "powercycle", "force"],
    { short: "m", initial: "default" },
  ),
  ...drainInputs("drain nodes first, and uncordon them afterwards", false),
  ...operateInputs,
  ...progressInput,
  ...budgetInputs,
};

export const change = {
  operation: reboot,
  prepare: ({ mode, drain, drainTimeout, wait, debug }) => ({
    input: {
      mode,
      ...drain && { drainMs: drainTimeout, wait: wait || debug },
    },
  }),
  safeAfter: false,
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Reboot nodes",
  description:
    `Waits until each node runs a new boot and is ready. Nodes are rebooted one at a time, control planes only while etcd
keeps its quorum. With --drain, all pods are evicted first, like "node drain"; a node that cannot be drained in time is
not rebooted.`,
  stepNames: ["node.reboot"],
  inputs,
  examples: [
    "reboot --nodes 10.0.0.5",
    "reboot --drain --nodes @workers",
    "reboot --nodes @workers --max-unavailable 25% --timeout 10m",
  ],
  ...changing,
};
