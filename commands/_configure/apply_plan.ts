/** What a configuration would change, without sending it. */

import { rebootNeed } from "../../config/change/reboot_need.ts";
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
  /** The mode rules out the reboot that is needed, so the node would refuse. */
  | "refused";

/** What a configuration would change on one node. */
export interface PlannedRow {
  readonly node: string;
  /** Documents that are different, secrets hidden. */
  readonly changes: readonly DocumentChange[];
  /** When it would take effect; the node decides, this is what v1.12 does. */
  readonly takesEffect: TakesEffect;
  /** Keys of the main document that need a reboot. */
  readonly rebootFor: readonly string[];
}

/**
 * Compares what a node runs with and what it would be given.
 *
 * @param signal Ends it.
 */
export async function plannedRow(
  { node, live, wanted }: Intended,
  mode: ApplyMode,
  signal: Pick<AbortSignal, "throwIfAborted">,
): Promise<PlannedRow> {
  const old = live?.documents ?? [];
  const changes = await inParts(diffInParts(old, wanted), signal);
  if (live === undefined) {
    return { node, changes, takesEffect: "first", rebootFor: [] };
  }
  const rebootFor = rebootNeed(old, wanted);
  const takesEffect = changes.length === 0 && mode !== "reboot"
    ? "never"
    : effectOf(mode, rebootFor.length > 0);
  return { node, changes, takesEffect, rebootFor };
}

function effectOf(mode: ApplyMode, needsReboot: boolean): TakesEffect {
  switch (mode) {
    case "reboot":
      return "reboot";
    case "staged":
      return "next-reboot";
    case "auto":
      return needsReboot ? "reboot" : "now";
    case "no-reboot":
    case "try":
      return needsReboot ? "refused" : "now";
  }
}

/** Writes a plan for people. Returns lines with their ends. */
export function plannedText(
  { node, changes, takesEffect, rebootFor }: PlannedRow,
): string {
  const diffs = changes.map(({ identity, change, diff }) =>
    `${node}: ${identity} ${change}\n${diff}`
  );
  const why = rebootFor.length === 0 ? "" : ` (${rebootFor.join(", ")})`;
  return `${diffs.join("")}${node}: ${endings[takesEffect]}${why}\n`;
}

const endings: Readonly<Record<TakesEffect, string>> = {
  never: "no change",
  first: "would be its first configuration",
  now: "would take effect without a reboot",
  reboot: "would take effect with a reboot",
  "next-reboot": "would take effect with the next reboot",
  refused: "would be refused, since it needs a reboot",
};
