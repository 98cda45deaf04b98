/** What an upgrade asks for, what it sees, and by what it is known. */

import { RefusedError } from "../../../errors.ts";
import type { MachineState } from "../../../transport/node/machine_state.ts";
import { observeBoot, refuseDuringSequence } from "../boot_key.ts";
import type { NodeContext } from "../operation.ts";
import {
  type InstallState,
  readInstallState,
} from "../../upgrade/install_state.ts";
import {
  type ImageChoice,
  installerFor,
  type InstallerReference,
} from "../../upgrade/installer_reference.ts";
import {
  lifecycleSince,
  type NodeSystem,
  readNodeSystem,
} from "../../upgrade/node_system.ts";
import {
  runsAlready,
  upgradeAllowances,
  upgradeProblems,
} from "../../upgrade/upgrade_problems.ts";
import { isOlder } from "../../../lib/version.ts";

/** What is asked for. */
export type UpgradeInput = ImageChoice & {
  /** True to install during the next boot, in the older call only. */
  readonly stage: boolean;
  /** True to skip what the node checks itself, in the older call only. */
  readonly force: boolean;
  /** True as old clients ask for it, in the older call only; data is always kept. */
  readonly preserve: boolean;
  readonly mode: "default" | "powercycle";
  /** True for a node without a configuration. */
  readonly insecure: boolean;
  /** Longest time for draining a node that does not do so itself, in milliseconds; 0 leaves its pods where they are. */
  readonly drainMs: number;
  /** Whether the command waits for the end, and uncordons the node then. */
  readonly wait: boolean;
  /** Rules of upgrades that do not count. */
  readonly allow: readonly string[];
};

/** Which calls a node is upgraded by. */
export type UpgradeCall =
  /** One that does everything, the reboot included. */
  | "legacy"
  /** One that installs, and a reboot. */
  | "lifecycle";

/** What is known before. */
export interface UpgradeSeen extends MachineState {
  readonly system: NodeSystem;
  readonly image: InstallerReference;
  readonly via: UpgradeCall;
  /** What happened in this boot already; `none` where the calls cannot leave it half-way. */
  readonly install: InstallState;
  /** Name in Kubernetes of the node to be drained first; null when none is. */
  readonly drains: string | null;
  /** Name in Kubernetes of one that is as wanted, and was left closed by an earlier attempt; null when it was not. */
  readonly opens: string | null;
}

/** What tells an attempt from others. */
export type UpgradeKey = {
  /** Identity of the boot it began in; null when the role may not read it. */
  readonly bootId: string | null;
  readonly image: string;
  /** Version the image holds; null when its name does not say. */
  readonly version: string | null;
  /** What the image was made from; null when its name does not say. */
  readonly schematic: string | null;
  readonly via: UpgradeCall;
  /** Name in Kubernetes of the node to be drained first; null when none is. */
  readonly drains: string | null;
  /** Name in Kubernetes of one that only has to be opened again; absent when there is more to do. */
  readonly opens?: string;
};

/** Looks at a node that is to be upgraded. */
export async function observeUpgrade(
  site: Pick<NodeContext, "client">,
  input: UpgradeInput,
): Promise<UpgradeSeen> {
  const [state, system] = await Promise.all([
    observeBoot(site),
    readNodeSystem(site.client),
  ]);
  const image = installerFor(input, system);
  const via = callFor(system.version, input);
  const install: InstallState = via === "legacy"
    ? { state: "none" }
    : await readInstallState(site.client, image.version);
  return { ...state, system, image, via, install, drains: null, opens: null };
}

/** The node is asked what it runs; what this client was built from does not count. */
function callFor(
  version: string,
  { stage, force, preserve, insecure }: UpgradeInput,
): UpgradeCall {
  return isOlder(version, lifecycleSince) || stage || force || preserve ||
      insecure
    ? "legacy"
    : "lifecycle";
}

/**
 * Applies the rules of upgrades.
 *
 * @param input What is asked for, and which rules do not count.
 * @throws {RefusedError} Naming the rules, and what overrides them.
 */
export function checkUpgrade(
  seen: UpgradeSeen,
  { allow }: Pick<UpgradeInput, "allow">,
): void {
  refuseDuringSequence(seen);
  const left = upgradeProblems(seen.system, seen.image)
    .filter(({ allowance }) => !allow.includes(allowance));
  if (left.length === 0) return;
  const reasons = upgradeAllowances.flatMap((allowance) => {
    const own = left.filter((finding) => finding.allowance === allowance);
    const [first] = own;
    if (first === undefined) return [];
    const texts = own.map(({ text }) => text).join("; ");
    return [`${texts} (${first.rule}; --allow ${allowance})`];
  });
  throw new RefusedError(reasons.join("; "));
}

/**
 * Sees to it that the node can be upgraded at all.
 *
 * @throws {RefusedError} If it runs as a container: such nodes refuse every upgrade.
 */
export function checkUpgradable({ system }: UpgradeSeen): void {
  if (!system.inContainer) return;
  throw new RefusedError("A node that runs as a container refuses upgrades", {
    hint: "Replace its container with one of the version you want",
  });
}

/** Reports whether there is anything to do. `input`: what is asked for; force does it in any case. */
export function isUpgraded(
  { system, image }: UpgradeSeen,
  { force }: Pick<UpgradeInput, "force">,
): boolean {
  return !force && runsAlready(system, image);
}

/** Why nothing is sent to a node that runs the image already, and what that leaves open. */
export function runsAlreadyReason({ system }: UpgradeSeen): string {
  return `already runs ${system.version}; nothing was sent, so the node has not checked the image or etcd`;
}

/** What tells an attempt from others. */
export function upgradeKey(
  { bootId, image, via, drains, opens }: UpgradeSeen,
): UpgradeKey {
  return {
    bootId: bootId ?? null,
    image: image.text,
    version: image.version ?? null,
    schematic: image.schematic ?? null,
    via,
    drains,
    ...opens === null ? {} : { opens },
  };
}
