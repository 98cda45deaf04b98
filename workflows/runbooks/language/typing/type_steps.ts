/** Types of the values in steps, and of their outputs. */

import { assuredPaths } from "../../../runbook_cel/expression.ts";
import { unknownField } from "../../../runbook_cel/types.ts";
import type {
  Template,
  ValueField,
  ValueFields,
} from "../../../runbook_cel/field.ts";
import type { Runbook, Step, StepOf, Work } from "../../runbook.ts";
import {
  clusterField,
  errorField,
  nodeField,
} from "../../../runbook_cel/fact_fields.ts";
import {
  makeObject,
  typeGroups,
  typeInputs,
  typeOutput,
} from "./scope_fields.ts";
import {
  type ExpressionPosition,
  typeCondition,
  typeValue,
  type Typing,
} from "./typed_values.ts";

/** Scope of a list of steps. */
export interface StepScope {
  readonly path: string;
  /** Outputs of steps in enclosing lists. */
  readonly around: ValueFields;
  /** Outputs of earlier siblings. */
  readonly own: Record<string, ValueField>;
  /** Paths of optional inputs known to be present. */
  readonly assured: ReturnType<typeof assuredPaths>;
  readonly onNode: boolean;
  /** Output types of a used runbook. */
  readonly findOutputs: (used: Runbook) => ValueField;
}

/** Steps with their `rescue` and `always`. */
type Lists = Work;

/** Types a list of steps. `typing`: state; the outputs of the steps are added. */
export function typeSteps(
  typing: Typing,
  lists: Lists,
  inside: StepScope,
): void {
  for (const step of lists.steps) typeStep(typing, step, inside, {});
  for (const step of lists.rescue) {
    typeStep(typing, step, inside, { error: errorField });
  }
  for (const step of lists.always) typeStep(typing, step, inside, {});
  typing.steps.set(inside.path, { ...inside.around, ...inside.own });
}

function typeStep(
  typing: Typing,
  step: Step,
  inside: StepScope,
  more: ValueFields,
): void {
  const path = inside.path === "" ? step.id : `${inside.path}/${step.id}`;
  const before = typeNames(typing, inside, more);
  const { when } = step;
  typeCondition(typing, when, { part: step, path: ["when"], names: before });
  const sure = when === undefined
    ? inside
    : { ...inside, assured: [...inside.assured, ...assuredPaths(when)] };
  const names = when === undefined ? before : typeNames(typing, sure, more);
  const deeper: StepScope = {
    ...sure,
    path,
    around: { ...inside.around, ...inside.own },
    own: {},
  };
  inside.own[step.id] = typeVerb(typing, step, names, deeper);
}

function typeNames(
  { runbook, vars, decisions }: Typing,
  { around, own, assured, onNode }: StepScope,
  more: ValueFields,
): ValueFields {
  return {
    inputs: typeInputs(runbook, assured),
    vars: makeObject(vars),
    groups: typeGroups(runbook),
    cluster: clusterField,
    steps: makeObject({ ...around, ...own }),
    decisions: makeObject({ ...decisions }),
    ...onNode && { node: nodeField },
    ...more,
  };
}

/** Types the verb of a step. Returns the type of its outputs. */
function typeVerb(
  typing: Typing,
  step: Step,
  names: ValueFields,
  deeper: StepScope,
): ValueField {
  const at = (...path: ExpressionPosition["path"]): ExpressionPosition => ({
    part: step,
    path,
    names,
  });
  const value = (
    one: Template | undefined,
    field: ValueField,
    ...path: ExpressionPosition["path"]
  ) => typeValue(typing, one, field, at(...path));
  switch (step.verb) {
    case "run":
      return typeRun(typing, step, at);
    case "gate":
      return typeGate(typing, step, at);
    case "approve":
      value(step.message, textField, "approve", "message");
      value(step.typed, textField, "approve", "typed");
      value(step.timeout, durationField, "approve", "timeout");
      return nothing;
    case "assert":
      typeCondition(typing, step.that, at("assert", "that"));
      value(step.message, textField, "assert", "message");
      return nothing;
    case "decide": {
      const field = value(step.value, anyValue, "decide", "value");
      typing.decisions[step.name] = field;
      return makeObject({ value: field });
    }
    case "sleep":
      value(step.duration, durationField, "sleep");
      return nothing;
    case "forEach":
      return typeForEach(typing, step, value, deeper);
    case "block":
      typeSteps(typing, step, deeper);
      return makeObject({ ...deeper.own });
    case "use":
      for (const [name, one] of Object.entries(step.with)) {
        value(one, step.runbook.inputs[name] ?? unknownField, "with", name);
      }
      return deeper.findOutputs(step.runbook);
  }
}

function typeRun(
  typing: Typing,
  step: StepOf<"run">,
  at: (...path: ExpressionPosition["path"]) => ExpressionPosition,
): ValueField {
  const module = typing.found.module(step.module);
  for (const [name, one] of Object.entries(step.with)) {
    typeValue(typing, one, inputField(module, name), at("with", name));
  }
  typeValue(typing, step.timeout, durationField, at("timeout"));
  const output = typeOutput(step.module, typing.found);
  if (step.until !== undefined) {
    const { condition, poll, timeout } = step.until;
    const spot = at("until", "condition");
    const names = { ...spot.names, result: output };
    typeCondition(typing, condition, { ...spot, names });
    typeValue(typing, poll, durationField, at("until", "poll"));
    typeValue(typing, timeout, durationField, at("until", "timeout"));
  }
  return output;
}

function typeGate(
  typing: Typing,
  step: StepOf<"gate">,
  at: (...path: ExpressionPosition["path"]) => ExpressionPosition,
): ValueField {
  for (const one of step.checks) {
    const check = typing.found.check(one.check);
    const { names } = at();
    const when = { part: one, path: ["when"], names };
    typeCondition(typing, one.when, when);
    for (const [name, given] of Object.entries(one.with)) {
      const spot = { part: one, path: ["with", name], names };
      typeValue(typing, given, inputField(check, name), spot);
    }
  }
  typeValue(typing, step.within, durationField, at("within"));
  typeValue(typing, step.holdFor, durationField, at("holdFor"));
  return nothing;
}

/** Per-node modules and checks also accept the name of the node. */
function inputField(
  taker: { readonly input: ValueFields } | undefined,
  name: string,
): ValueField {
  const own = taker?.input[name];
  if (own !== undefined) return own;
  return taker !== undefined && name === "node"
    ? { type: "node", summary: "Node" }
    : unknownField;
}

function typeForEach(
  typing: Typing,
  step: StepOf<"forEach">,
  value: (
    one: Template | undefined,
    field: ValueField,
    ...path: ExpressionPosition["path"]
  ) => ValueField,
  deeper: StepScope,
): ValueField {
  const { batch, maxUnavailable, maxFailures } = step.strategy;
  const ramp: ValueField = { type: "list", summary: "Ramp", items: countField };
  const path = ["forEach", "strategy"];
  value(batch, Array.isArray(batch) ? ramp : countField, ...path, "batch");
  value(maxUnavailable, countField, ...path, "maxUnavailable");
  value(maxFailures, countField, ...path, "maxFailures");
  typeSteps(typing, step, { ...deeper, onNode: true });
  const outputs = step.steps.map(({ id }) => {
    const items = deeper.own[id] ?? nothing;
    return [id, { type: "map", summary: "By node", items }] as const;
  });
  return { ...makeObject(Object.fromEntries(outputs)), byStep: true };
}

const nothing: ValueField = makeObject({}, "Nothing");
const anyValue: ValueField = { type: "any", summary: "Value" };
const textField: ValueField = { type: "string", summary: "Text" };
const countField: ValueField = { type: "countOrPercent", summary: "How many" };
const durationField: ValueField = { type: "duration", summary: "How long" };
