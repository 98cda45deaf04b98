/** Plans of changes: what a configuration would change, computed without sending it. */

import {
  rebootNeed,
  rebootsForConfiguration,
} from "../../config/change/reboot_need.ts";
import type { OsVersion } from "../../config/documents/schema.ts";
import { diffInParts, type DocumentChange } from "../../config/diff.ts";
import type { Intended } from "../../workflows/configuration/guards.ts";
import { inParts } from "../../lib/timer.ts";
import type { OutcomeRow } from "../../workflows/operations/change.ts";
import type { ApplyMode } from "../../workflows/operations/node/apply_config.ts";
import type { AppliedRow } from "../../workflows/operations/node/change_configuration.ts";
import { diffTone } from "../../terminal/tone.ts";
import { textual, type TextView } from "../../terminal/view.ts";
import type { ResourcePlanRow } from "./update_resource.ts";

type TakesEffect =
  | "never"
  /** The node has no configuration yet, and installs with this one. */
  | "first"
  | "now"
  /** After a reboot by the node. */
  | "reboot"
  | "next-reboot"
  /** The node would refuse it: unsupported mode, or a mode without the required reboot. */
  | "refused";

/** Planned change of one node. */
interface PlannedRow {
  readonly node: string;
  /** Changed documents, secrets hidden. */
  readonly changes: readonly DocumentChange[];
  /** When it would take effect, according to the node's version; the node decides. */
  readonly takesEffect: TakesEffect;
  /** Keys of the main document that require a reboot. */
  readonly rebootFor: readonly string[];
  /** Reason for a refusal by the node. */
  readonly refusal?: string;
}

/** Compares the running configuration of a node with a new one. */
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

/** The reason a node's version refuses a change in a mode, if any. */
function findRefusal(
  mode: ApplyMode,
  version: OsVersion | undefined,
  needsReboot: boolean,
): string | undefined {
  const isRuledOut = needsReboot && (mode === "no-reboot" || mode === "try");
  return unsupportedMode(mode, version) ??
    (isRuledOut ? "it needs a reboot" : undefined);
}

/** The reason a version does not support a mode, if any. */
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

/** Formats a plan. Returns lines with line ends. */
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

/** Outcome of a change, or its plan. */
export type ChangeRow =
  | AppliedRow
  | PlannedRow
  | OutcomeRow
  | ResourcePlanRow;

/** Prints plans, and nothing for applied changes. */
export const changeView: TextView<ChangeRow> = textual((row) => {
  if ("changes" in row) return plannedText(row);
  if (!("diff" in row)) return "";
  return row.diff === ""
    ? `${row.node}: no change\n`
    : `${row.node}:\n${row.diff}`;
}, diffTone);
