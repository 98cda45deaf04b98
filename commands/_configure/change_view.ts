/** How changes of configurations and resources look: plans are shown, the rest is noted on the way. */

import { type PlannedRow, plannedText } from "./apply_plan.ts";
import type { AppliedRow } from "./apply_send.ts";
import type { OutcomeRow } from "../../workflows/operations/change.ts";
import type { ResourcePlanRow } from "./update_resource.ts";
import { diffTone } from "../../terminal/tone.ts";
import { textual, type TextView } from "../../terminal/view.ts";

/** What became of a change, or what it would do. */
export type ChangeRow =
  | AppliedRow
  | PlannedRow
  | OutcomeRow
  | ResourcePlanRow;

/** Text of plans; nothing for what was done. */
export const changeView: TextView<ChangeRow> = textual((row) => {
  if ("changes" in row) return plannedText(row);
  if (!("diff" in row)) return "";
  return row.diff === ""
    ? `${row.node}: no change\n`
    : `${row.node}:\n${row.diff}`;
}, diffTone);
