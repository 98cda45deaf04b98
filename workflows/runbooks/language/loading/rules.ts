/** What has to hold between the parts of a runbook, beyond the shape of each. */

import type { Runbook } from "../../runbook.ts";
import type { FoundNames } from "../lookup.ts";
import type { Mistake } from "../problem.ts";
import { fanOutMistakes } from "./rules_fan_out.ts";
import { groupMistakes } from "./rules_groups.ts";
import { inputMistakes } from "./rules_inputs.ts";
import { stepMistakes } from "./rules_steps.ts";
import { stepsIn } from "../walk.ts";

/** Finds what does not go together in a runbook; those that it uses are not looked into. */
export function ruleMistakes(
  runbook: Runbook,
  found: FoundNames,
): readonly Mistake[] {
  return [
    ...inputMistakes(runbook),
    ...groupMistakes(runbook),
    ...stepMistakes(runbook, found),
    ...fanOutMistakes(runbook, found),
  ];
}

/** Most steps, those of used runbooks counted each time. */
const mostSteps = 10_000;

/**
 * Finds out whether a runbook is too large: a few files of a few lines, each of which uses the next
 * one often, could stand for more steps than memory holds.
 */
export function sizeMistakes(runbook: Runbook): readonly Mistake[] {
  const size = sizeOf(runbook, new Map());
  if (size <= mostSteps) return [];
  return [{
    place: runbook.place,
    message: `Including the runbooks it uses, it has ${size} steps`,
    hint: `Use at most ${mostSteps}`,
  }];
}

function sizeOf(runbook: Runbook, sizes: Map<Runbook, number>): number {
  const known = sizes.get(runbook);
  if (known !== undefined) return known;
  let size = 0;
  for (const { step } of stepsIn(runbook)) {
    size += 1 + (step.verb === "use" ? sizeOf(step.runbook, sizes) : 0);
  }
  sizes.set(runbook, size);
  return size;
}
