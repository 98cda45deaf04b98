import { UsageError } from "../errors.ts";
import {
  forcedUpgrade,
  upgrade,
} from "../workflows/operations/upgrade/upgrade.ts";
import { upgradeInstall } from "../workflows/operations/upgrade/install.ts";
import { budgetInputs } from "./_kit/node_inputs.ts";
import {
  type AnyCommand,
  choice,
  duration,
  type Flag,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import {
  type AnyChange,
  type Change,
  changing,
  operateInputs,
} from "./_kit/operate.ts";
import { allowInput, imageInputs, upgradeInput } from "./_upgrade_inputs.ts";

/** How nodes reboot into the new system. */
export type UpgradeMode = "default" | "powercycle";

const inputs = {
  ...imageInputs,
  rebootMode: anyCase(choice(
    'how to reboot: "powercycle" without kexec',
    ["default", "powercycle"],
    { short: "m", initial: "default" },
  )),
  stage: toggle("install during the next boot, which comes at once", {
    short: "s",
  }),
  force: toggle("skip what the node checks itself, such as etcd", {
    short: "f",
  }),
  preserve: toggle("keep data", {
    short: "p",
    hidden: true,
    deprecated: "data is kept in any case",
  }),
  noReboot: toggle("only install; the next boot starts it"),
  drain: toggle("first drain nodes that do not do so themselves", {
    initial: true,
  }),
  drainTimeout: duration("longest time for draining one node", {
    initial: "5m0s",
  }),
  insecure: toggle("use the maintenance service, without authentication", {
    step: false,
  }),
  ...operateInputs,
  ...budgetInputs,
  allow: allowInput,
};

type UpgradeInputs = Values<typeof inputs>;

/** What the command changes. */
export const change: AnyChange = {
  operation: upgrade,
  // What skips the checks of a node is asked about; what does not reboot stops nothing.
  operationOf: ({ noReboot, force }) =>
    noReboot ? upgradeInstall : force ? forcedUpgrade : upgrade,
  prepare(values) {
    check(values);
    const { stage, force, preserve, insecure, allow, rebootMode } = values;
    return {
      input: upgradeInput(values, {
        stage,
        force,
        preserve,
        insecure,
        allow,
        mode: rebootMode,
        drainMs: values.drain && !values.noReboot ? values.drainTimeout : 0,
        wait: values.wait || values.debug,
      }),
    };
  },
  safeAfter: false,
} satisfies Change<UpgradeInputs>;

/** `osctl upgrade`: gives nodes another version of the operating system. */
export const command: AnyCommand = {
  summary: "Upgrade the operating system of nodes",
  description:
    `A node counts as upgraded when the version and the extensions of the image run in another boot, and the node calls itself
ready. One that comes back with what it had is named as rolled back, with its last words. Nodes are upgraded one at a time,
control planes only while etcd can spare them.

Nodes since v1.13 are given an installation and a reboot, older ones the call that does both; each node is asked what it is.
--stage and --force exist in that older call only, which is used for them.

Those since v1.13 are drained by osctl: closed for new pods and emptied as with "node drain", and opened again when they are
back, unless somebody else has closed them. All pods may go, as with older nodes, which drain themselves. A node that cannot be
drained in time gets no installation; without Kubernetes nothing is sent, unless --drain=false leaves the pods where they are.
Right before the reboot of a control plane etcd is looked at again. A node that was left closed by a client that died is opened
by the next upgrade.

An image that would take away extensions, and a version that is older or too far ahead, are refused unless they are allowed.`,
  shortSteps: {
    "upgrade.legacy": {
      summary: "Upgrade a node by the call that installs and restarts",
      inputs: { image: "image", mode: "rebootMode", node: "node" },
      required: ["image"],
      // These nodes drain themselves.
      fixed: { drain: false },
    },
  },
  inputs,
  examples: [
    "upgrade --nodes @workers --to v1.12.11",
    "upgrade --nodes 10.0.0.2 --image registry.example/installer:v1.12.11",
  ],
  ...changing,
};

/** Old scripts write the words in capitals. */
function anyCase<T>(flag: Flag<T>): Flag<T> {
  return {
    ...flag,
    parse: (value, before) => flag.parse(value.toLowerCase(), before),
  };
}

/** Flags that contradict each other. */
function check(input: UpgradeInputs): void {
  if (input.insecure && input.wait) {
    throw new UsageError("Flag --insecure needs --wait=false", {
      hint: "Nothing tells a node without a configuration from itself",
    });
  }
  if (!input.noReboot) return;
  for (const name of ["stage", "force", "preserve", "insecure"] as const) {
    if (!input[name]) continue;
    throw new UsageError(`Flag --no-reboot does not fit --${name}`, {
      hint: "The call that is used for it reboots",
    });
  }
}
