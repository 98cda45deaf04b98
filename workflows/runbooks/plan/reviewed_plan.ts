/** Binding a run to a plan that was reviewed. */

import { RefusedError } from "../../../errors.ts";
import { changedSince } from "./plan_match.ts";
import type { Beginnings } from "./groups_now.ts";
import type { Plan } from "./plan.ts";

/**
 * Refuses a run that would not do what was planned.
 *
 * @throws {RefusedError} Naming what has changed.
 */
export async function refuseUnlike(
  plan: Plan,
  now: Beginnings,
): Promise<void> {
  const changes = await changedSince(plan, now);
  if (changes.length === 0) return;
  const said = changes.slice(0, most).join("; ");
  const more = changes.length > most
    ? `; and ${changes.length - most} more`
    : "";
  throw new RefusedError(
    `Cannot run "${now.runbook.name}" by the plan of ${plan.madeAt}: ${said}${more}`,
    { hint: "Make a new plan with osctl runbook plan, and have it reviewed" },
  );
}

/** Most changes that are named. */
const most = 8;
