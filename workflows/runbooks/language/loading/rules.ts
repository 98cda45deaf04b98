/** What has to hold between the parts of a runbook, beyond the shape of each. */

import type { Runbook } from "../../runbook.ts";
import type { Found } from "../lookup.ts";
import type { Mistake } from "../problem.ts";
import { fanOutMistakes } from "./rules_fan_out.ts";
import { groupMistakes } from "./rules_groups.ts";
import { inputMistakes } from "./rules_inputs.ts";
import { stepMistakes } from "./rules_steps.ts";

/** Finds what does not go together in a runbook; those that it uses are not looked into. */
export function ruleMistakes(
  runbook: Runbook,
  found: Found,
): readonly Mistake[] {
  return [
    ...inputMistakes(runbook),
    ...groupMistakes(runbook),
    ...stepMistakes(runbook, found),
    ...fanOutMistakes(runbook, found),
  ];
}
