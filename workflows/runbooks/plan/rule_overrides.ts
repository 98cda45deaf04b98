/** Rules that a run would override, as far as known before it. */

import type { OverridableRule } from "../../operations/safety_rules.ts";
import { noteUnknown, type Planner } from "./planner.ts";
import { planCondition } from "./values.ts";

/**
 * Reports whether a runbook overrides a rule, judged by the steps planned so far.
 *
 * @param planner The plan; a condition known only at run time is noted.
 */
export async function isOverridden(
  planner: Planner,
  rule: OverridableRule,
): Promise<boolean> {
  const { top, engine } = planner;
  if (top === undefined) return false;
  for (const { rule: one, when } of engine.runbook.policy.allow) {
    if (one !== rule) continue;
    if (when === undefined) return true;
    // Sequential; nothing here waits.
    const { holds, needs } = await planCondition(planner, top, when);
    if (holds === "yes") return true;
    if (holds === "no") continue;
    const path = `allow/${rule}`;
    noteUnknown(planner, { path, what: "when", expression: when, needs });
  }
  return false;
}
