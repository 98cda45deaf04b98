/** Whether a plan would change anything. */

import type { Plan, PlanStage } from "./plan.ts";

/**
 * Tells whether a run would change anything, or might: what is decided at run time counts.
 *
 * @param plan The plan; what is done after failures does not count.
 */
export function hasChanges({ stages, always }: Plan): boolean {
  return [...stages, ...always].some(changes);
}

function changes(stage: PlanStage): boolean {
  if (stage.happens === "no") return false;
  switch (stage.verb) {
    case "run":
      return stage.effect !== "read" &&
        (stage.prospects.length === 0 ||
          stage.prospects.some(({ outcome }) => open.has(outcome)));
    case "forEach":
    case "block":
      return [...stage.steps, ...stage.always].some(changes);
    default:
      return false;
  }
}

/** What is not known to change nothing. */
const open: ReadonlySet<string> = new Set(["change", "refused", "unknown"]);
