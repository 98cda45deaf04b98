/** Groups that are resolved when a step that refers to them starts. */

import type { Json } from "../../../lib/json.ts";
import type { GateCheck, Step } from "../runbook.ts";
import type { Template } from "../../runbook_cel/field.ts";
import { resolve } from "./run_values.ts";
import type { Engine } from "./engine.ts";
import type { Frame } from "./frame.ts";
import { groupKey } from "../journal/history.ts";

/**
 * Resolves the groups that a step refers to again, and records their nodes.
 *
 * Groups of a fan-out stay as they were when it started.
 *
 * @param engine The run; its groups are updated.
 */
export async function enterGroups(
  engine: Engine,
  frame: Frame,
  step: Step,
  path: string,
): Promise<void> {
  const { book } = frame;
  const { groups } = book.runbook;
  const entered = Object.keys(groups)
    .filter((name) => groups[name]?.at === "entry");
  if (entered.length === 0) return;
  const named = namesIn(engine, step);
  // Earlier groups are resolved first: later ones derive from them.
  for (const name of withSources(groups, named)) {
    if (!entered.includes(name)) continue;
    const nodes = await resolve(engine, frame, name);
    const key = groupKey(book, name);
    engine.groups.set(key, nodes);
    await engine.journal.append({
      type: "group",
      path: `${path}${key}`,
      data: { nodes: [...nodes] },
    });
  }
}

/** Groups that the step itself refers to, in expressions or as `group` of a check or a module. */
function namesIn(engine: Engine, step: Step): ReadonlySet<string> {
  const names = new Set<string>();
  for (const template of listTemplates(step)) {
    for (const reference of engine.evaluator.references(template)) {
      const [first, name] = reference.split(".");
      if (first === "groups" && name !== undefined) names.add(name);
    }
  }
  for (const name of listGroupInputs(step)) names.add(name);
  return names;
}

function listTemplates(step: Step): readonly Template[] {
  const when = step.when === undefined ? [] : [`\${{ ${step.when} }}`];
  switch (step.verb) {
    case "run":
    case "use":
      return [...when, step.with];
    case "gate":
      return [...when, ...step.checks.map((check) => check.with)];
    case "approve":
      return [...when, step.message, step.typed ?? ""];
    case "assert":
      return [...when, `\${{ ${step.that} }}`, step.message];
    case "decide":
      return [...when, step.value];
    case "sleep":
      return [...when, step.duration];
    case "forEach":
    case "block":
      return when;
  }
}

function listGroupInputs(step: Step): readonly string[] {
  if (step.verb === "run") return groupIn(step.with);
  return step.verb === "gate" ? step.checks.flatMap(findGroup) : [];
}

function findGroup(check: GateCheck): readonly string[] {
  return groupIn(check.with);
}

function groupIn({ group }: Readonly<Record<string, Json>>): readonly string[] {
  return typeof group === "string" ? [group] : [];
}

/** Groups with the groups they derive from, in the order of the file. */
function withSources(
  groups: Frame["book"]["runbook"]["groups"],
  named: ReadonlySet<string>,
): readonly string[] {
  const wanted = new Set(named);
  const all = Object.entries(groups);
  for (const [name, { from, union = [], except }] of all.toReversed()) {
    if (!wanted.has(name)) continue;
    for (const source of [from ?? "", ...union, ...except]) wanted.add(source);
  }
  return all.flatMap(([name]) => wanted.has(name) ? [name] : []);
}
