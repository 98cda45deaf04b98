/** What a configuration would change, without sending it. */

import {
  rebootNeed,
  rebootsForConfiguration,
} from "../../config/change/reboot_need.ts";
import type { OsVersion } from "../../config/documents/schema.ts";
import { diffInParts, type DocumentChange } from "../../config/diff.ts";
import type { Intended } from "../../workflows/configuration/guards.ts";
import { inParts } from "../../lib/timer.ts";
import type { ApplyMode } from "../../workflows/operations/node/apply_config.ts";

type TakesEffect =
  /** Nothing would change. */
  | "never"
  /** The node has no configuration yet, and installs itself with this one. */
  | "first"
  /** At once. */
  | "now"
  /** After a reboot that the node does. */
  | "reboot"
  /** At the next reboot, for any reason. */
  | "next-reboot"
  /** The node would refuse it: it does not support the mode, or the mode rules out the reboot that is needed. */
  | "refused";

/** What a configuration would change on one node. */
export interface PlannedRow {
  readonly node: string;
  /** Documents that are different, secrets hidden. */
  readonly changes: readonly DocumentChange[];
  /** When it would take effect; the node decides, this is what its version does. */
  readonly takesEffect: TakesEffect;
  /** Keys of the main document that need a reboot. */
  readonly rebootFor: readonly string[];
  /** Why the node would refuse it; absent when it would not. */
  readonly refusal?: string;
}

/**
 * Compares what a node runs with and what it would be given.
 *
 * @param signal Ends it.
 */
export async function plannedRow(
  { node, live, wanted, version }: Intended,
  mode: ApplyMode,
  signal: Pick<AbortSignal, "throwIfAborted">,
): Promise<PlannedRow> {
  const old = live?.documents ?? [];
  const changes = await inParts(diffInParts(old, wanted), signal);
  if (live === undefined) {
    return { node, changes, takesEffect: "first", rebootFor: [] };
  }
  const rebootFor = rebootNeed(old, wanted, version);
  if (changes.length === 0 && mode !== "reboot") {
    return { node, changes, takesEffect: "never", rebootFor };
  }
  const refusal = findRefusal(mode, version, rebootFor.length > 0);
  return refusal === undefined
    ? { node, changes, takesEffect: effects[mode](rebootFor), rebootFor }
    : { node, changes, takesEffect: "refused", rebootFor, refusal };
}

/** Why a node of a version refuses a change in a mode; `undefined` when it does not. */
function findRefusal(
  mode: ApplyMode,
  version: OsVersion | undefined,
  needsReboot: boolean,
): string | undefined {
  const isRuledOut = needsReboot && (mode === "no-reboot" || mode === "try");
  return unsupportedMode(mode, version) ??
    (isRuledOut ? "it needs a reboot" : undefined);
}

/** Why a version does not take a configuration in a mode; `undefined` when it does. */
export function unsupportedMode(
  mode: ApplyMode,
  version: OsVersion | undefined,
): string | undefined {
  if (mode !== "reboot" || rebootsForConfiguration(version)) return undefined;
  return `v${version} does not support --mode reboot; use --mode auto, then osctl reboot`;
}

const effects: Readonly<
  Record<ApplyMode, (rebootFor: readonly string[]) => TakesEffect>
> = {
  auto: (rebootFor) => rebootFor.length > 0 ? "reboot" : "now",
  "no-reboot": () => "now",
  reboot: () => "reboot",
  staged: () => "next-reboot",
  try: () => "now",
};

/** Writes a plan for people. Returns lines with their ends. */
export function plannedText(
  { node, changes, takesEffect, rebootFor, refusal }: PlannedRow,
): string {
  const diffs = changes.map(({ identity, change, diff }) =>
    `${node}: ${identity} ${change}\n${diff}`
  );
  const why = rebootFor.length === 0 ? "" : ` (${rebootFor.join(", ")})`;
  const cause = refusal === undefined ? "" : `: ${refusal}`;
  return `${diffs.join("")}${node}: ${endings[takesEffect]}${cause}${why}\n`;
}

const endings: Readonly<Record<TakesEffect, string>> = {
  never: "no change",
  first: "would be its first configuration",
  now: "would take effect without a reboot",
  reboot: "would take effect with a reboot",
  "next-reboot": "would take effect with the next reboot",
  refused: "would be refused",
};
