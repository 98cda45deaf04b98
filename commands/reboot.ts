import { reboot } from "../workflows/operations/node/reboot.ts";
import { budgetInputs } from "./_kit/node_inputs.ts";
import { type Change, changing, operateInputs } from "./_kit/operate.ts";
import { type AnyCommand, choice, type Values } from "./_kit/mod.ts";

const inputs = {
  mode: choice(
    'reboot mode: "powercycle" skips kexec, "force" does not stop services first',
    ["default", "powercycle", "force"],
    { short: "m", initial: "default" },
  ),
  ...operateInputs,
  ...budgetInputs,
};

export const change = {
  operation: reboot,
  prepare: ({ mode }) => ({ input: { mode } }),
  safeAfter: false,
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Reboot nodes",
  description:
    `Waits until each node runs a new boot and is ready. Nodes are rebooted one at a time, control planes only while etcd
keeps its quorum.`,
  stepNames: ["node.reboot"],
  inputs,
  examples: [
    "reboot --nodes 10.0.0.5",
    "reboot --nodes @workers --max-unavailable 25% --timeout 10m",
  ],
  ...changing,
};
