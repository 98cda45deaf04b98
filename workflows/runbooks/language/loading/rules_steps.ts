/** Rules of steps: modules, checks and their inputs. */

import type { ValueField, ValueFields } from "../../../runbook_cel/field.ts";
import {
  findEffect,
  findIdempotency,
  type Module,
} from "../../../modules/module.ts";
import type { GateCheck, Runbook, Step, StepOf, Verbs } from "../../runbook.ts";
import { fieldsFaults, type ValueFault } from "../field_value.ts";
import { suggest } from "../match_shape.ts";
import type { FoundNames } from "../lookup.ts";
import type { SourceProblem } from "../problem.ts";
import { type Placed, placeIn } from "../source_places.ts";
import { unknownGroup } from "./rules_groups.ts";
import { opening } from "../../../runbook_cel/template_text.ts";
import { listLists, stepsIn } from "../walk.ts";

interface Checking {
  readonly runbook: Runbook;
  readonly found: FoundNames;
  /** True inside a `forEach`. */
  readonly onNode: boolean;
}

/** Finds duplicate ids, unknown modules and checks, and wrong inputs. */
export function stepProblems(
  runbook: Runbook,
  found: FoundNames,
): readonly SourceProblem[] {
  const { steps, rescue, always } = runbook;
  const problems = [
    ...twins([steps, rescue, always]),
    ...decidedTwice(runbook),
  ];
  for (const { step, onNode } of stepsIn(runbook)) {
    problems.push(...twins(listLists(step)));
    const checking = { runbook, found, onNode };
    if (step.verb === "run") problems.push(...runProblems(step, checking));
    if (step.verb === "gate") {
      problems.push(
        ...step.checks.flatMap((check) => checkProblems(check, checking)),
      );
    }
  }
  return problems;
}

/** Finds duplicate ids among siblings, including `rescue` and `always`. */
function twins(lists: readonly (readonly Step[])[]): readonly SourceProblem[] {
  const first = new Map<string, Step>();
  return lists.flat().flatMap((step) => {
    const twin = first.get(step.id);
    first.set(step.id, twin ?? step);
    if (twin === undefined || step.id === "") return [];
    return [{
      place: placeIn(step, "id"),
      message: `Step id "${step.id}" is already used`,
      first: twin.place,
      hint: "Give it another id",
    }];
  });
}

function decidedTwice(runbook: Runbook): readonly SourceProblem[] {
  const names = new Set<string>();
  return [...stepsIn(runbook)].flatMap(({ step }) => {
    if (step.verb !== "decide") return [];
    const again = names.has(step.name);
    names.add(step.name);
    return again
      ? [{
        place: placeIn(step, "decide", "name"),
        message: `Decision name "${step.name}" is already used`,
        hint: "Give it another name",
      }]
      : [];
  });
}

function runProblems(
  step: StepOf<"run">,
  checking: Checking,
): readonly SourceProblem[] {
  const { found } = checking;
  // Empty names are reported elsewhere.
  if (step.module === "") return [];
  const module = found.module(step.module);
  if (module === undefined) {
    return [{ place: placeIn(step, "run"), ...unknown(step.module, found) }];
  }
  return [
    ...inputProblems(step, step.with, module, checking),
    ...retryProblems(step, module),
    ...untilProblems(step, module),
  ];
}

function unknown(
  name: string,
  { modules, whyNoModule }: FoundNames,
): Pick<SourceProblem, "message" | "hint"> {
  const why = whyNoModule?.(name);
  if (why !== undefined) return { message: `"${name}" is not a step: ${why}` };
  const hint = suggest(name, modules);
  return { message: `There is no module "${name}"`, hint };
}

function checkProblems(
  check: GateCheck,
  checking: Checking,
): readonly SourceProblem[] {
  const found = checking.found.check(check.check);
  if (found !== undefined) {
    return inputProblems(check, check.with, found, checking);
  }
  return [{
    place: placeIn(check, "check"),
    message: `There is no check "${check.check}"`,
    hint: suggest(check.check, checking.found.checks),
  }];
}

const nodeField: ValueField = { type: "node", summary: "Node to work on" };

function inputProblems(
  at: Placed,
  given: Verbs["run"]["with"],
  { name, scope, input }: {
    readonly name: string;
    readonly scope: "node" | "cluster" | "any";
    readonly input: ValueFields;
  },
  { runbook, onNode }: Checking,
): readonly SourceProblem[] {
  const fields = scope === "node" ? { node: nodeField, ...input } : input;
  const faults = fieldsFaults(given, fields, { owner: name });
  const problems = faults.map((fault) => toProblem(fault, at));
  if (scope === "node" && !onNode && !Object.hasOwn(given, "node")) {
    problems.push({
      place: at.place,
      message: `"${name}" works on one node, but there is no node here`,
      hint: "Put it into a forEach, or set with.node",
    });
  }
  const group = given["group"];
  const isName = typeof group === "string" && !group.includes(opening) &&
    Object.hasOwn(input, "group") && !(onNode && group === "self");
  if (isName && !Object.hasOwn(runbook.groups, group)) {
    const known = Object.keys(runbook.groups);
    problems.push(unknownGroup(group, known, placeIn(at, "with", "group")));
  }
  return problems;
}

function toProblem(
  { path, message, hint }: ValueFault,
  at: Placed,
): SourceProblem {
  return { place: placeIn(at, "with", ...path), message, hint };
}

function retryProblems(
  step: StepOf<"run">,
  module: Module,
): readonly SourceProblem[] {
  const isOnce = findIdempotency(module) === "once";
  const allowed: readonly string[] = isOnce
    ? ["not-started"]
    : [...module.retryable ?? [], ...module.widenable ?? []];
  return (step.retry?.on ?? []).flatMap((code, index) => {
    if (allowed.includes(code)) return [];
    return [{
      place: placeIn(step, "retry", "on", index),
      message: isOnce
        ? `"${step.module}" cannot be retried after "${code}": running it twice is harmful`
        : `"${step.module}" cannot be retried after "${code}"`,
      hint: allowed.length === 0
        ? "Remove retry"
        : `Give only ${allowed.join(", ")}`,
    }];
  });
}

function untilProblems(
  step: StepOf<"run">,
  module: Module,
): readonly SourceProblem[] {
  if (step.until === undefined || findEffect(module) === "read") return [];
  return [{
    place: placeIn(step, "until"),
    message: `"${step.module}" changes something, so it cannot be repeated`,
    hint: "Use until with read-only modules, or wait in a gate",
  }];
}
