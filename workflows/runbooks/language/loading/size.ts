/** How many steps a runbook stands for. */

import type { Runbook } from "../../runbook.ts";
import type { Mistake } from "../problem.ts";
import { stepsIn } from "../walk.ts";

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
