/** What has to hold between the parts of a runbook, beyond the shape of each. */

import type { Runbook } from "../../runbook.ts";
import type { FoundNames } from "../lookup.ts";
import type { SourceProblem } from "../problem.ts";
import { fanOutProblems } from "./rules_fan_out.ts";
import { groupProblems } from "./rules_groups.ts";
import { inputProblems } from "./rules_inputs.ts";
import { stepProblems } from "./rules_steps.ts";
import { stepsIn } from "../walk.ts";

/** Finds what does not go together in a runbook; those that it uses are not looked into. */
export function ruleProblems(
  runbook: Runbook,
  found: FoundNames,
): readonly SourceProblem[] {
  return [
    ...inputProblems(runbook),
    ...groupProblems(runbook),
    ...stepProblems(runbook, found),
    ...fanOutProblems(runbook, found),
  ];
}

/** Most steps, those of used runbooks counted each time. */
const mostSteps = 10_000;

/**
 * Finds out whether a runbook is too large: a few files of a few lines, each of which uses the next
 * one often, could stand for more steps than memory holds.
 */
export function sizeProblems(runbook: Runbook): readonly SourceProblem[] {
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
