/** Rules of fan-outs, used runbooks, and the policy. */

import { findEffect, type Module } from "../../../modules/module.ts";
import type { Runbook, RunbookInput, Step, StepOf } from "../../runbook.ts";
import type { Template } from "../../../runbook_cel/field.ts";
import { fieldsFaults } from "../field_value.ts";
import { inputFault } from "../input_value.ts";
import type { FoundNames } from "../lookup.ts";
import type { SourceProblem } from "../problem.ts";
import { placeIn } from "../source_places.ts";
import { isControlPlane, unknownGroup } from "./rules_groups.ts";
import { parseCountOrPercent } from "../scalars.ts";
import { allSteps, stepsIn } from "../walk.ts";

/**
 * Finds fan-outs that are too wide or nested, used runbooks that do not fit their
 * position, and missing locks.
 */
export function fanOutProblems(
  runbook: Runbook,
  found: FoundNames,
): readonly SourceProblem[] {
  const problems = [...lockProblems(runbook, found)];
  for (const { step, onNode } of stepsIn(runbook)) {
    if (step.verb === "forEach") {
      problems.push(...forEachProblems(step, onNode, runbook, found));
    }
    if (step.verb === "use") {
      problems.push(...useProblems(step, onNode, runbook));
    }
  }
  return problems;
}

function forEachProblems(
  step: StepOf<"forEach">,
  onNode: boolean,
  runbook: Runbook,
  found: FoundNames,
): readonly SourceProblem[] {
  const problems: SourceProblem[] = [];
  if (onNode) {
    problems.push({
      place: placeIn(step, "forEach"),
      message: "A forEach is inside another forEach",
      hint: "Put the nodes into one group, or put one forEach after the other",
    });
  }
  // Empty names are reported elsewhere.
  if (step.nodes === "") return problems;
  if (!Object.hasOwn(runbook.groups, step.nodes)) {
    const place = placeIn(step, "forEach", "nodes");
    const known = Object.keys(runbook.groups);
    return [...problems, unknownGroup(step.nodes, known, place)];
  }
  return [
    ...problems,
    ...budgetProblems(step),
    ...widthProblems(
      step,
      runbook,
      found,
    ),
  ];
}

/** A fan-out that may start no node would wait forever. */
function budgetProblems(step: StepOf<"forEach">): readonly SourceProblem[] {
  return widths(step).flatMap(([value, ...path]) =>
    parseCountOrPercent(value)?.number === 0
      ? [{
        place: placeIn(step, "forEach", "strategy", ...path),
        message: `With ${value} nodes at once nothing would start`,
        hint: "Give 1 or more",
      }]
      : []
  );
}

function widthProblems(
  step: StepOf<"forEach">,
  runbook: Runbook,
  found: FoundNames,
): readonly SourceProblem[] {
  if (!isControlPlane(step.nodes, runbook)) return [];
  // With the quorum rule overridden there is no quorum to protect.
  if (runbook.policy.allow.some(({ rule }) => rule === "etcd-quorum")) {
    return [];
  }
  const disruptive = [...allSteps([step])].find((one) =>
    one.verb === "run" && disrupts(found.module(one.module))
  );
  if (disruptive?.verb !== "run") return [];
  return widths(step).flatMap(([value, ...path]) => {
    const width = parseCountOrPercent(value);
    if (width === undefined || isOne(width) || width.number === 0) return [];
    return [{
      place: placeIn(step, "forEach", "strategy", ...path),
      message:
        `"${disruptive.module}" disrupts control planes; ${value} of them at once is too many`,
      hint: "Give 1",
    }];
  });
}

function isOne(
  { number, percent }: { readonly number: number; readonly percent: boolean },
): boolean {
  return number === 1 && !percent;
}

type Width = readonly [value: Template, ...path: (string | number)[]];

function widths({ strategy }: StepOf<"forEach">): readonly Width[] {
  const { batch, maxUnavailable } = strategy;
  const batches: readonly Width[] = Array.isArray(batch)
    ? batch.map((one: Template, index) => [one, "batch", index] as const)
    : [[batch, "batch"]];
  return maxUnavailable === undefined
    ? batches
    : [...batches, [maxUnavailable, "maxUnavailable"]];
}

function disrupts(module: Module | undefined): boolean {
  return module !== undefined &&
    ["disrupt", "destroy"].includes(findEffect(module));
}

function useProblems(
  step: StepOf<"use">,
  onNode: boolean,
  runbook: Runbook,
): readonly SourceProblem[] {
  const used = step.runbook;
  // A stand-in for an unreadable runbook, which is reported elsewhere.
  if (used.name === "") return [];
  const problems: SourceProblem[] = [];
  const perNode = used.per === "node";
  if (perNode !== onNode) {
    problems.push({
      place: placeIn(step, "use"),
      message: perNode
        ? `"${used.name}" works on one node, but there is no node here`
        : `"${used.name}" works on the cluster and cannot be used inside a forEach`,
      hint: perNode ? "Put it into a forEach" : "Move it out of the forEach",
    });
  }
  return [
    ...problems,
    ...givenProblems(step, runbook),
    ...overrideProblems(step, runbook),
  ];
}

function givenProblems(
  step: StepOf<"use">,
  runbook: Runbook,
): readonly SourceProblem[] {
  const { runbook: used } = step;
  const fields = fieldsFaults(step.with, used.inputs, { owner: used.name });
  const faults = [
    ...fields,
    ...Object.entries(step.with).flatMap(([name, value]) => {
      const input = own(used.inputs, name);
      const wrong = fields.some(({ path }) => path[0] === name);
      const fault = input === undefined || wrong
        ? undefined
        : inputFault(value, input);
      return fault === undefined ? [] : [{ path: [name], ...fault }];
    }),
  ];
  return [
    ...faults.map(({ path, message, hint }) => ({
      place: placeIn(step, "with", ...path),
      message,
      hint,
    })),
    ...passedProblems(step, runbook),
  ];
}

function passedProblems(
  step: StepOf<"use">,
  { inputs }: Runbook,
): readonly SourceProblem[] {
  return Object.entries(step.with).flatMap(([name, value]) => {
    const [from, to] = [own(inputs, name), own(step.runbook.inputs, name)];
    const same = value === `\${{ inputs.${name} }}`;
    if (!same || from === undefined || to === undefined) return [];
    if (from.type === to.type) return [];
    return [{
      place: placeIn(step, "pass"),
      message:
        `Input "${name}" is of type ${from.type} here, and of type ${to.type} in "${step.runbook.name}"`,
      hint: "Use the same type, or pass the value under with",
    }];
  });
}

function overrideProblems(
  step: StepOf<"use">,
  { policy }: Runbook,
): readonly SourceProblem[] {
  const own = new Set(policy.allow.map(({ rule }) => rule));
  return step.runbook.policy.allow.flatMap(({ rule }) =>
    own.has(rule) ? [] : [{
      place: placeIn(step, "use"),
      message:
        `"${step.runbook.name}" overrides "${rule}", but this runbook does not`,
      hint: "Also list the rule under policy.allow here",
    }]
  );
}

function lockProblems(
  runbook: Runbook,
  found: FoundNames,
): readonly SourceProblem[] {
  if (runbook.policy.lock !== "none") return [];
  const { steps, rescue, always } = runbook;
  const changing = [...allSteps([...steps, ...rescue, ...always])]
    .find((step) => changes(step, found));
  if (changing?.verb !== "run") return [];
  return [{
    place: placeIn(runbook, "policy", "lock"),
    message:
      `"${changing.module}" changes something, so the runbook needs a lock`,
    hint: "Set lock: cluster",
  }];
}

function changes(step: Step, found: FoundNames): boolean {
  if (step.verb !== "run") return false;
  const module = found.module(step.module);
  return module !== undefined && findEffect(module) !== "read";
}

function own(
  inputs: Readonly<Record<string, RunbookInput>>,
  name: string,
): RunbookInput | undefined {
  return Object.hasOwn(inputs, name) ? inputs[name] : undefined;
}
