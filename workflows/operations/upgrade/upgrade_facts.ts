/** Input, observed state, and key of an upgrade. */

import { RefusedError } from "../../../errors.ts";
import type { MachineState } from "../../../transport/node/machine_state.ts";
import { observeBoot, refuseDuringSequence } from "../boot_key.ts";
import type { ImageNamespace } from "../node/node_images.ts";
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

/** Input of `upgrade`. */
export type UpgradeInput = ImageChoice & {
  /** True to install during the next boot; older call only. */
  readonly stage: boolean;
  /** True to skip the node's own checks; older call only. */
  readonly force: boolean;
  /** True to use the older call; absent for false. */
  readonly legacy?: boolean;
  /** Where the image is pulled to; newer calls only; default `system`. */
  readonly namespace?: ImageNamespace;
  /** True when requested by old clients; older call only: data is always kept. */
  readonly preserve: boolean;
  readonly mode: "default" | "powercycle";
  /** True for a node without a configuration. */
  readonly insecure: boolean;
  /** Timeout for draining a node that does not do so itself, in milliseconds; 0 skips the drain. */
  readonly drainMs: number;
  /** True to wait for the end, and uncordon the node then. */
  readonly wait: boolean;
  /** Overridden upgrade rules. */
  readonly allow: readonly string[];
};

/** Calls used for the upgrade. */
export type UpgradeCall =
  /** One call for everything, including the reboot. */
  | "legacy"
  /** An install call, and a reboot. */
  | "lifecycle";

/** State before the upgrade. */
export interface UpgradeSeen extends MachineState {
  readonly system: NodeSystem;
  readonly image: InstallerReference;
  readonly via: UpgradeCall;
  /** Installer in this boot; `none` if the calls cannot stop half-way. */
  readonly install: InstallState;
  /** Kubernetes name of the node to drain first; null if none. */
  readonly drains: string | null;
  /** Kubernetes name of an upgraded node still cordoned by an earlier attempt; null if none. */
  readonly opens: string | null;
}

/** Identity of an attempt. */
export type UpgradeKey = {
  /** Boot id at its start; null when the role may not read it. */
  readonly bootId: string | null;
  readonly image: string;
  /** Version of the image; null if its name has none. */
  readonly version: string | null;
  /** Schematic of the image; null if its name has none. */
  readonly schematic: string | null;
  readonly via: UpgradeCall;
  /** Kubernetes name of the node to drain first; null if none. */
  readonly drains: string | null;
  /** Kubernetes name of a node that only needs an uncordon; absent otherwise. */
  readonly opens?: string;
};

/** Reads the state of a node before its upgrade. */
export async function observeUpgrade(
  context: Pick<NodeContext, "client">,
  input: UpgradeInput,
): Promise<UpgradeSeen> {
  const [state, system] = await Promise.all([
    observeBoot(context),
    readNodeSystem(context.client),
  ]);
  const image = installerFor(input, system);
  const via = callFor(system.version, input);
  const install: InstallState = via === "legacy"
    ? { state: "none" }
    : await readInstallState(context.client, image.version);
  return { ...state, system, image, via, install, drains: null, opens: null };
}

/** Depends on the node's version, not on that of this client. */
function callFor(
  version: string,
  { stage, force, preserve, insecure, legacy = false }: UpgradeInput,
): UpgradeCall {
  return isOlder(version, lifecycleSince) || stage || force || preserve ||
      insecure || legacy
    ? "legacy"
    : "lifecycle";
}

/**
 * Applies the upgrade rules.
 *
 * @param input Upgrade and overridden rules.
 * @throws {RefusedError} Names the rules, and their overrides.
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
 * Ensures that the node can be upgraded at all.
 *
 * @throws {RefusedError} If it runs as a container: such nodes refuse every upgrade.
 */
export function checkUpgradable({ system }: UpgradeSeen): void {
  if (!system.inContainer) return;
  throw new RefusedError("A node that runs as a container refuses upgrades", {
    hint: "Replace its container with one of the version you want",
  });
}

/** Reports whether there is nothing to do. `input`: force upgrades in any case. */
export function isUpgraded(
  { system, image }: UpgradeSeen,
  { force }: Pick<UpgradeInput, "force">,
): boolean {
  return !force && runsAlready(system, image);
}

/** Reason for not upgrading a node that already runs the image, with what remains unknown. */
export function runsAlreadyReason({ system }: UpgradeSeen): string {
  return `already runs ${system.version}; nothing was sent, so the node has not checked the image or etcd`;
}

/** Key of this attempt. */
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
