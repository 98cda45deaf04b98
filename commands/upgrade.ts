import { defaultImages } from "../config/images.ts";
import { UsageError } from "../errors.ts";
import {
  forcedUpgrade,
  upgrade,
} from "../workflows/operations/upgrade/upgrade.ts";
import { upgradeInstall } from "../workflows/operations/upgrade/install.ts";
import { budgetInputs, drainInputs } from "./_kit/node_inputs.ts";
import {
  type AnyCommand,
  choice,
  type Flag,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import {
  type Change,
  changing,
  operateInputs,
  progressInput,
} from "./_kit/operate.ts";
import { allowInput, imageInputs, upgradeInput } from "./_upgrade_inputs.ts";

const inputs = {
  ...imageInputs,
  rebootMode: anyCase(choice(
    'reboot mode: "powercycle" skips kexec',
    ["default", "powercycle"],
    { short: "m", initial: "default" },
  )),
  stage: toggle("stage the installation for the next boot, and reboot", {
    short: "s",
  }),
  force: toggle("skip the node's own checks, such as etcd health", {
    short: "f",
  }),
  preserve: toggle("keep data", {
    short: "p",
    hidden: true,
    deprecated: "data is always kept",
  }),
  noReboot: toggle(
    "only install; the node boots the new version the next time",
  ),
  ...drainInputs("drain nodes that do not drain themselves", true),
  legacy: toggle("use the one call that installs and reboots"),
  namespace: choice(
    "containerd namespace of the installer image",
    ["system", "cri", "inmem"],
    { initial: "system" },
  ),
  insecure: toggle("connect to the maintenance API, without authentication", {
    step: false,
  }),
  ...operateInputs,
  ...progressInput,
  ...budgetInputs,
  allow: allowInput,
};

type UpgradeInputs = Values<typeof inputs>;

export const change = {
  operation: upgrade,
  // Skipping the checks of a node requires confirmation; without a reboot
  // nothing is disrupted.
  chooseOperation: ({ noReboot, force }) =>
    noReboot ? upgradeInstall : force ? forcedUpgrade : upgrade,
  prepare(values) {
    check(values);
    const { stage, force, preserve, insecure, allow, rebootMode } = values;
    const { legacy, namespace } = values;
    return {
      input: upgradeInput(values, {
        stage,
        force,
        preserve,
        insecure,
        ...legacy && { legacy },
        ...namespace !== "system" && { namespace },
        allow,
        mode: rebootMode,
        drainMs: values.drain && !values.noReboot ? values.drainTimeout : 0,
        wait: values.wait || values.debug,
      }),
    };
  },
  target: ({ to, image }) => `to ${to ?? image ?? defaultImages.installer}`,
  safeAfter: false,
} satisfies Change<UpgradeInputs>;

export const command: AnyCommand = {
  summary: "Upgrade the operating system of nodes",
  description:
    `Waits until each node runs the version and extensions of the image and is ready. A node that comes back with the
previous system is reported as rolled back, with its last log lines. Nodes are upgraded one at a time, control planes
only while etcd keeps its quorum.

On nodes with v1.13 or newer, osctl installs the version and then reboots the node; older nodes do both in one call.
--stage, --force and --legacy always use the one call.

osctl drains nodes with v1.13 or newer like "node drain", evicting all pods, and uncordons them when they are back,
unless another user or process cordoned them; older nodes drain themselves. A node that cannot be drained in time is not upgraded;
if Kubernetes is unreachable, nothing is sent unless --drain=false is given, which leaves the pods running. Before a
control plane reboots, etcd is checked again. A node left cordoned by a client that died is uncordoned by the next
upgrade.

Images that would remove extensions, and versions that are older or too new, are refused unless overridden with --allow.`,
  shortSteps: {
    "upgrade.legacy": {
      summary: "Upgrade a node with the single call that installs and reboots",
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

function anyCase<T>(flag: Flag<T>): Flag<T> {
  return {
    ...flag,
    parse: (value, before) => flag.parse(value.toLowerCase(), before),
  };
}

function check(input: UpgradeInputs): void {
  if (input.insecure && input.wait) {
    throw new UsageError("Flag --insecure needs --wait=false", {
      hint:
        "A node without a configuration cannot be identified after a reboot",
    });
  }
  if (!input.noReboot) return;
  for (
    const name of [
      ...["stage", "force", "legacy", "preserve", "insecure"] as const,
    ]
  ) {
    if (!input[name]) continue;
    throw new UsageError(`Flag --no-reboot cannot be used with --${name}`, {
      hint: "That flag needs the call that always reboots",
    });
  }
}
