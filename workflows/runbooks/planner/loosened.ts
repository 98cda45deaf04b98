/** Safety rules that a run would loosen, as far as that is known before. */

import type { Loosenable } from "../runbook.ts";
import type { Place } from "./place.ts";
import type { Planner } from "./planner.ts";
import { conditionOf } from "./values.ts";

/**
 * Notes which rules checks and modules may take for loosened; an operator would be asked for them.
 *
 * @param planner The plan; its rules are added to.
 * @param top Where the conditions of loosened rules are worked out.
 */
export async function noteLoosened(
  planner: Planner,
  top: Place,
): Promise<void> {
  for (const { rule, when } of planner.engine.runbook.policy.allow) {
    const isOn = when === undefined ||
      // Conditions are cheap, and there are few.
      (await conditionOf(planner, top, when)).holds === "yes";
    if (isOn) planner.loosened.add(rule);
  }
}

/**
 * Makes what checks and modules ask.
 *
 * @param planner The plan.
 */
export function loosenedIn(
  { loosened }: Pick<Planner, "loosened">,
): (rule: Loosenable) => Promise<boolean> {
  return (rule) => Promise.resolve(loosened.has(rule));
}
