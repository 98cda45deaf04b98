import { UsageError } from "../errors.ts";
import { reset } from "../workflows/operations/node/reset.ts";
import { budgetInputs } from "./_kit/node_inputs.ts";
import {
  type AnyCommand,
  choice,
  strings,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { type Change, changing, operateInputs } from "./_kit/operate.ts";

const inputs = {
  graceful: toggle("drain the node and leave etcd first", { initial: true }),
  reboot: toggle("reboot afterwards instead of shutting the node down"),
  wipeMode: choice(
    "which disks to wipe",
    ["all", "system-disk", "user-disks"],
    { initial: "all" },
  ),
  userDisksToWipe: strings(
    "device paths of user disks to wipe",
  ),
  systemLabelsToWipe: strings(
    "partitions of the system disk to wipe, such as STATE and EPHEMERAL",
    { shown: "all" },
  ),
  insecure: toggle("connect to the maintenance API, without authentication", {
    step: false,
  }),
  ...operateInputs,
  ...budgetInputs,
};

export const change = {
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

export const command: AnyCommand = {
  summary: "Wipe nodes",
  description:
    `Wipes the whole system disk, including META, unless partitions are given. A control plane leaves etcd first
(--graceful), and only if the remaining members have a quorum.

With --reboot, waits until the node is in maintenance mode, or runs a new boot with its configuration; without, until
it no longer answers.`,
  stepNames: ["node.reset"],
  inputs,
  examples: [
    "reset --nodes 10.0.0.5 --reboot --system-labels-to-wipe STATE,EPHEMERAL",
    "reset --nodes 10.0.0.5 --wipe-mode user-disks --user-disks-to-wipe /dev/sdb",
  ],
  ...changing,
};

/** Refuses conflicting flags; the node would report them one by one. */
function check(input: Values<typeof inputs>): void {
  const { wipeMode, userDisksToWipe: disks, systemLabelsToWipe: labels } =
    input;
  if (wipeMode === "user-disks" && disks.length === 0) {
    throw new UsageError("Flag --wipe-mode user-disks needs disks to wipe", {
      hint: "Name them with --user-disks-to-wipe",
    });
  }
  if (wipeMode === "user-disks" && labels.length > 0) {
    throw new UsageError(
      "Flag --system-labels-to-wipe cannot be used with --wipe-mode user-disks",
    );
  }
  if (wipeMode === "system-disk" && disks.length > 0) {
    throw new UsageError(
      "Flag --user-disks-to-wipe cannot be used with --wipe-mode system-disk",
    );
  }
  if (!input.insecure) return;
  if (labels.length > 0) {
    throw new UsageError(
      "Flag --system-labels-to-wipe cannot be used with --insecure",
      { hint: "The maintenance API wipes whole disks" },
    );
  }
  if (input.wait || input.debug) {
    throw new UsageError("Flag --insecure needs --wait=false", {
      hint: "The node is in maintenance mode before and after the reset",
    });
  }
}
