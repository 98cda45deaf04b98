import { UsageError } from "../errors.ts";
import { reset } from "../workflows/operations/reset.ts";
import { budgetInputs } from "./_kit/node_inputs.ts";
import {
  type AnyCommand,
  choice,
  strings,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import {
  type AnyChange,
  type Change,
  changing,
  operateInputs,
} from "./_kit/operate.ts";

const inputs = {
  graceful: toggle("drain the node and leave etcd first", { initial: true }),
  reboot: toggle("reboot afterwards instead of switching off"),
  wipeMode: choice(
    "which disks to wipe",
    ["all", "system-disk", "user-disks"],
    { initial: "all" },
  ),
  userDisksToWipe: strings(
    "paths of disks to wipe beside the system disk",
  ),
  systemLabelsToWipe: strings(
    "partitions of the system disk to wipe, such as STATE and EPHEMERAL",
    { shown: "all" },
  ),
  insecure: toggle("use the maintenance service, without authentication", {
    step: false,
  }),
  ...operateInputs,
  ...budgetInputs,
};

type ResetInputs = Values<typeof inputs>;

/** What the command changes. */
export const change: AnyChange = {
  operation: reset,
  prepare(values) {
    check(values);
    const { graceful, reboot, insecure } = values;
    return {
      input: {
        graceful,
        reboot,
        insecure,
        scope: values.wipeMode,
        userDisks: values.userDisksToWipe,
        labels: values.systemLabelsToWipe,
      },
    };
  },
} satisfies Change<Values<typeof inputs>>;

/** `osctl reset`: wipes nodes. */
export const command: AnyCommand = {
  summary: "Wipe nodes",
  description:
    `Unless partitions are named, all of the system disk is wiped, the values in META included. A control plane leaves etcd
first (--graceful), and only when the members that stay are a quorum of what is left.

With --reboot a node counts as wiped when it waits for a configuration, or runs another boot with the one it kept;
without, when it does not answer any more.`,
  stepNames: ["node.reset"],
  inputs,
  examples: [
    "reset --nodes 10.0.0.5 --reboot --system-labels-to-wipe STATE,EPHEMERAL",
    "reset --nodes 10.0.0.5 --wipe-mode user-disks --user-disks-to-wipe /dev/sdb",
  ],
  ...changing,
};

/** Flags that contradict each other; the node would refuse them one by one. */
function check(input: ResetInputs): void {
  const { wipeMode, userDisksToWipe: disks, systemLabelsToWipe: labels } =
    input;
  if (wipeMode === "user-disks" && disks.length === 0) {
    throw new UsageError("Flag --wipe-mode user-disks needs disks to wipe", {
      hint: "Name them with --user-disks-to-wipe",
    });
  }
  if (wipeMode === "user-disks" && labels.length > 0) {
    throw new UsageError(
      "Flag --system-labels-to-wipe does not fit --wipe-mode user-disks",
    );
  }
  if (wipeMode === "system-disk" && disks.length > 0) {
    throw new UsageError(
      "Flag --user-disks-to-wipe does not fit --wipe-mode system-disk",
    );
  }
  if (!input.insecure) return;
  if (labels.length > 0) {
    throw new UsageError(
      "Flag --system-labels-to-wipe does not fit --insecure",
      { hint: "The maintenance service wipes whole disks" },
    );
  }
  if (input.wait || input.debug) {
    throw new UsageError("Flag --insecure needs --wait=false", {
      hint: "Before and after the reset the node waits for a configuration",
    });
  }
}
