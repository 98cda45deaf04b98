/** Inputs, constants and groups of a runbook before the run. */

import { references } from "../../runbook_cel/expression.ts";
import { enterUse, makeFrame } from "../engine/frame.ts";
import { enterBook, withInitials } from "../engine/run_values.ts";
import type { NodeGroup, Runbook } from "../runbook.ts";
import { groupNeeds, listOthers, listSources } from "./needed_values.ts";
import {
  type PlanPosition,
  type PlanValue,
  UnknownValue,
} from "./plan_position.ts";
import type { Planner } from "./planner.ts";
import { findUnknown } from "./values.ts";

/**
 * Enters a runbook as the engine does, without what only the run knows.
 *
 * @param path Path of the step that uses it; empty for the runbook of the plan.
 * @param around Position of that step; absent for the runbook of the plan.
 * @returns Position of its steps, reached for certain.
 */
export async function openBook(
  planner: Planner,
  runbook: Runbook,
  path: string,
  given: Readonly<Record<string, PlanValue>>,
  around?: PlanPosition,
): Promise<PlanPosition> {
  const vars: Record<string, PlanValue> = {};
  const inputs = withInitials(runbook, given);
  const book = { runbook, path, inputs, vars };
  const groups = new Map<string, readonly string[]>();
  const place: PlanPosition = {
    frame: enterUse(around?.frame ?? makeFrame(book), book),
    groups,
    certain: "yes",
    failing: around?.failing ?? false,
  };
  for (const { name, value } of runbook.vars) {
    const unknown = findUnknown(planner, place, value);
    if (unknown !== undefined) vars[name] = unknown;
  }
  const away = new Set<string>();
  for (const [name, group] of Object.entries(runbook.groups)) {
    const needs = groupNeeds(planner, place, group);
    if (needs !== undefined) groups.set(name, needs);
    if (isUnresolvable(place, group, away)) away.add(name);
  }
  const known: Runbook = {
    ...runbook,
    vars: runbook.vars.filter(({ name }) => !Object.hasOwn(vars, name)),
    groups: Object.fromEntries(
      Object.entries(runbook.groups).filter(([name]) => !away.has(name)),
    ),
  };
  const entered = await enterBook(
    planner.engine,
    known,
    path,
    Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        value instanceof UnknownValue ? [] : [[name, value]]
      ),
    ),
    around?.frame,
  );
  Object.assign(vars, entered.vars);
  return place;
}

/** True for groups that depend on unknown inputs or constants; facts that may change still have a value. */
function isUnresolvable(
  { frame: { book } }: PlanPosition,
  group: NodeGroup,
  away: ReadonlySet<string>,
): boolean {
  const roots = new Map(
    Object.entries({ inputs: book.inputs, vars: book.vars }),
  );
  return listOthers(group).some((other) => away.has(other)) ||
    listSources(group).some((source) =>
      references(source).references.some(({ path: [root, member] }) =>
        typeof root === "string" && typeof member === "string" &&
        roots.get(root)?.[member] instanceof UnknownValue
      )
    );
}
