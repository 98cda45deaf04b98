/** Rules between the parts of a runbook, beyond the shape of each. */

import type { Runbook, RunbookInput } from "../../runbook.ts";
import { formatExpected } from "../field_value.ts";
import { compareValues, inputFault } from "../input_value.ts";
import type { FoundNames } from "../lookup.ts";
import type { SourceProblem } from "../problem.ts";
import { placeIn } from "../source_places.ts";
import { stepsIn } from "../walk.ts";
import { fanOutProblems } from "./rules_fan_out.ts";
import { groupProblems } from "./rules_groups.ts";
import { stepProblems } from "./rules_steps.ts";

/** Checks the rules of a runbook, without those it uses. */
export function ruleProblems(
  runbook: Runbook,
  found: FoundNames,
): readonly SourceProblem[] {
  return [
    ...inputProblems(runbook),
    ...groupProblems(runbook),
    ...stepProblems(runbook, found),
    ...fanOutProblems(runbook, found),
  ];
}

/** Maximum number of steps; steps of used runbooks count for each use. */
const mostSteps = 10_000;

/**
 * Checks the size of a runbook: a few short files, each of which uses the next
 * one many times, could expand to more steps than fit in memory.
 */
export function sizeProblems(runbook: Runbook): readonly SourceProblem[] {
  const size = countSteps(runbook, new Map());
  if (size <= mostSteps) return [];
  return [{
    place: runbook.place,
    message: `The runbook has ${size} steps, including the runbooks it uses`,
    hint: `Use at most ${mostSteps}`,
  }];
}

function countSteps(runbook: Runbook, sizes: Map<Runbook, number>): number {
  const known = sizes.get(runbook);
  if (known !== undefined) return known;
  let size = 0;
  for (const { step } of stepsIn(runbook)) {
    size += 1 + (step.verb === "use" ? countSteps(step.runbook, sizes) : 0);
  }
  sizes.set(runbook, size);
  return size;
}

const ordered = ["int", "duration", "countOrPercent"];

/** Types of versions and targets, which a resume must not change. */
const fixed = ["semver", "path", "node", "nodes", "secret"];

/** Finds inputs with conflicting keys. */
function inputProblems(runbook: Runbook): readonly SourceProblem[] {
  return Object.entries(runbook.inputs).flatMap(([name, input]) =>
    [...findFaults(input)].map(({ key, message, hint }) => ({
      place: placeIn(runbook, "inputs", name, key),
      message: `Input "${name}": ${message}`,
      hint,
    }))
  );
}

interface KeyFault {
  readonly key: string;
  readonly message: string;
  readonly hint: string;
}

function* findFaults(input: RunbookInput): Generator<KeyFault> {
  yield* wordFaults(input);
  yield* boundFaults(input);
  if (input.pattern !== undefined && input.type !== "string") {
    yield stray("pattern", input, "string");
  }
  if (input.format !== undefined && input.type !== "secret") {
    yield stray("format", input, "secret");
  }
  if (input.mutable && fixed.includes(input.type)) {
    yield {
      key: "mutable",
      message: `Type "${input.type}" cannot be mutable`,
      hint: "Use mutable for timeouts, budgets and batches",
    };
  }
  yield* initialFaults(input);
}

function* wordFaults({ type, values }: RunbookInput): Generator<KeyFault> {
  if (type === "enum" && values === undefined) {
    const message = 'Type "enum" has no values';
    yield { key: "type", message, hint: "List them under values" };
  }
  if (type !== "enum" && values !== undefined) {
    const message = `Type "${type}" has no fixed values`;
    yield { key: "values", message, hint: "Use type: enum" };
  }
}

function* boundFaults(input: RunbookInput): Generator<KeyFault> {
  const { type, min, max } = input;
  for (const [key, bound] of [["min", min], ["max", max]] as const) {
    if (bound === undefined) continue;
    if (!ordered.includes(type)) {
      yield stray(key, input, ordered.join(", "));
      continue;
    }
    const bare = { type, summary: "" };
    const fault = inputFault(bound, bare);
    if (fault !== undefined) yield { key, ...fault };
  }
  if (min === undefined || max === undefined) return;
  if ((compareValues(min, max) ?? 0) > 0) {
    yield {
      key: "max",
      message: `${max} is less than min, ${min}`,
      hint: "Swap them",
    };
  }
}

function* initialFaults(input: RunbookInput): Generator<KeyFault> {
  const { type, initial, required } = input;
  if (initial === undefined) return;
  if (type === "secret") {
    // The message omits the value, a secret.
    const message = "A secret has no default";
    return yield { key: "default", message, hint: "Remove it" };
  }
  if (required) {
    yield {
      key: "default",
      message: "A required input cannot have a default",
      hint: "Remove default, or required",
    };
  }
  if (typeof initial === "string" && initial.includes("${{")) {
    return yield {
      key: "default",
      message: "A default cannot be an expression",
      hint: `Give ${formatExpected(input)}, or compute it under vars`,
    };
  }
  const fault = inputFault(initial, input);
  if (fault !== undefined) yield { key: "default", ...fault };
}

function stray(key: string, { type }: RunbookInput, right: string): KeyFault {
  return {
    key,
    message: `"${key}" has no effect for type "${type}"`,
    hint: `It is used with ${right}`,
  };
}
