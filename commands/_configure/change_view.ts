/**
 * Output of configuration and resource changes: plans are printed, the rest is
 * noted as progress.
 */

import { type PlannedRow, plannedText } from "./apply_plan.ts";
import type { AppliedRow } from "./apply_send.ts";
import type { OutcomeRow } from "../../workflows/operations/change.ts";
import type { ResourcePlanRow } from "./update_resource.ts";
import { diffTone } from "../../terminal/tone.ts";
import { textual, type TextView } from "../../terminal/view.ts";

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
