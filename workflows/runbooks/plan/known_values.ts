/** Inputs, constants and groups of a runbook that are known before the run. */

import { references } from "../../runbook_cel/expression.ts";
import { sourcesIn } from "../../runbook_cel/template.ts";
import type { Json } from "../../../lib/json.ts";
import { enterBook } from "../engine/run_values.ts";
import { makeFrame, type RunbookScope } from "../engine/frame.ts";
import type { NodeGroup, Runbook } from "../runbook.ts";
import type { Template } from "../../runbook_cel/field.ts";
import {
  findNeeds,
  groupNeeds,
  listOthers,
  together,
} from "./needed_values.ts";
import {
  noUnknownNames,
  type PlanPosition,
  toPosition,
  type UnknownNames,
  type UnknownValues,
} from "./plan_position.ts";
import type { Planner } from "./planner.ts";

interface OpenBook {
  /** The scope, without unknown values. */
  readonly book: RunbookScope;
  /** Its unknown names. */
  readonly names: UnknownNames;
}

interface OpenBookOptions {
  readonly runbook: Runbook;
  /** Path of the step that uses it; empty for the runbook of the plan. */
  readonly path: string;
  /** Known input values. */
  readonly inputs: Readonly<Record<string, Json>>;
  readonly hidden: UnknownValues;
}

/**
 * Enters a runbook as the engine does, without unknown values.
 *
 * @param around Position of its use; absent for the runbook of the plan.
 */
export async function openBook(
  planner: Planner,
  around: PlanPosition | undefined,
  { runbook, path, inputs, hidden }: OpenBookOptions,
): Promise<OpenBook> {
  const names: UnknownNames = { ...noUnknownNames(), inputs: hidden };
  const part = knowable(planner, { runbook, path, names, around });
  const { engine } = planner;
  const book = await enterBook(engine, part, path, inputs, around?.frame);
  return { book: { ...book, runbook }, names };
}

/** Finds unknown names. Returns the runbook without its unresolvable parts. */
function knowable(
  planner: Planner,
  { runbook, path, names, around }:
    & Pick<OpenBookOptions, "runbook" | "path">
    & {
      readonly names: UnknownNames;
      readonly around: PlanPosition | undefined;
    },
): Runbook {
  const book = { runbook, path, inputs: {}, vars: {}, groups: new Map() };
  const place = placeIn(book, names, around);
  const needs = (template: Template) =>
    together(sourcesIn(template).map((one) => findNeeds(planner, place, one)));
  for (const { name, value } of runbook.vars) {
    const missing = needs(value);
    if (missing !== undefined) names.vars.set(name, missing);
  }
  const away = new Set<string>();
  for (const [name, group] of Object.entries(runbook.groups)) {
    const missing = groupNeeds(planner, place, group);
    if (missing !== undefined) names.groups.set(name, missing);
    if (isUnresolvable(names, group, away)) away.add(name);
  }
  if (names.vars.size === 0 && away.size === 0) return runbook;
  return {
    ...runbook,
    vars: runbook.vars.filter(({ name }) => !names.vars.has(name)),
    groups: Object.fromEntries(
      Object.entries(runbook.groups).filter(([name]) => !away.has(name)),
    ),
  };
}

/** True for groups that depend on unknown inputs or constants; facts that may change still have a value. */
function isUnresolvable(
  { inputs, vars }: UnknownNames,
  group: NodeGroup,
  away: ReadonlySet<string>,
): boolean {
  const { where, names, take } = group;
  const templates = [where && `\${{ ${where} }}`, names, take];
  const sources = templates.flatMap((one) =>
    one === undefined ? [] : sourcesIn(one)
  );
  return listOthers(group).some((other) => away.has(other)) ||
    sources.some((source) => usesHidden(source, inputs, vars));
}

function usesHidden(
  source: string,
  inputs: UnknownValues,
  vars: UnknownValues,
): boolean {
  return references(source).references.some(({ path: [root, member] }) =>
    typeof member === "string" &&
    (root === "inputs" && inputs.has(member) ||
      root === "vars" && vars.has(member))
  );
}

function placeIn(
  book: RunbookScope,
  names: UnknownNames,
  around: PlanPosition | undefined,
): PlanPosition {
  const node = around?.frame.node;
  const frame = makeFrame(book, book.path);
  const place = toPosition(
    node === undefined ? frame : { ...frame, node },
    names,
  );
  return { ...place, failing: around?.failing ?? false };
}
