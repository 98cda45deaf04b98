/** Type-checks the expressions of a runbook. */

import type { ValueField, ValueFields } from "../../../runbook_cel/field.ts";
import type { FoundNames } from "../lookup.ts";
import type { SourceProblem } from "../problem.ts";
import type { NodeGroup, Runbook } from "../../runbook.ts";
import {
  clusterField,
  errorField,
  nodeField,
} from "../../../runbook_cel/fact_fields.ts";
import {
  bucketsField,
  makeObject,
  typeGroups,
  typeInputs,
} from "./scope_fields.ts";
import { type StepScope, typeSteps } from "./type_steps.ts";
import {
  beginTyping,
  typeCondition,
  type TypedValue,
  typeValue,
  type Typing,
} from "./typed_values.ts";

const known = new WeakMap<Runbook, TypedValue>();

/**
 * Finds invalid expressions in an otherwise valid runbook, without those of
 * used runbooks.
 */
export function checkRunbook(
  runbook: Runbook,
  found: FoundNames,
): readonly SourceProblem[] {
  return typeRunbook(runbook, found).problems;
}

/** Finds the types of all values of a runbook; cached. */
function typeRunbook(runbook: Runbook, found: FoundNames): TypedValue {
  const before = known.get(runbook);
  if (before !== undefined) return before;
  const typing = beginTyping(runbook, found);
  typeVars(typing);
  for (const [name, group] of Object.entries(runbook.groups)) {
    typeGroup(typing, name, group);
  }
  const inside: StepScope = {
    path: "",
    around: {},
    own: {},
    assured: [],
    onNode: runbook.per === "node",
    findOutputs: (used) => makeObject(typeRunbook(used, found).outputs),
  };
  typeSteps(typing, runbook, inside);
  const outputs = typeEnds(typing);
  const { problems, vars, decisions, steps } = typing;
  const typed = { problems, vars, decisions, outputs, steps };
  known.set(runbook, typed);
  return typed;
}

function typeVars(typing: Typing): void {
  const { runbook, vars } = typing;
  for (const { name, value } of runbook.vars) {
    const names = makeStart(typing);
    const spot = { part: runbook, path: ["vars", name], names };
    vars[name] = typeValue(typing, value, anyValue, spot);
  }
}

function typeGroup(typing: Typing, name: string, group: NodeGroup): void {
  const { names, where, take } = group;
  const start = makeStart(typing);
  const part = group;
  const at = (key: string) => ({ part, path: [key], names: start });
  const whole: ValueField = { type: "nodes", summary: `Nodes of ${name}` };
  typeValue(typing, names, whole, at("names"));
  typeValue(typing, take, countField, at("take"));
  const nodes = { ...start, node: nodeField };
  typeCondition(typing, where, { part, path: ["where"], names: nodes });
}

function makeStart({ runbook, vars }: Typing): ValueFields {
  return {
    inputs: typeInputs(runbook),
    vars: makeObject({ ...vars }, "Constants"),
    cluster: clusterField,
    ...runbook.per === "node" && { node: nodeField },
  };
}

function typeEnds(typing: Typing): ValueFields {
  const { runbook, decisions, steps } = typing;
  const names: ValueFields = {
    ...makeStart(typing),
    groups: typeGroups(runbook),
    decisions: makeObject(decisions),
    steps: makeObject(steps.get("") ?? {}),
  };
  const part = runbook;
  const { deadline, allow } = runbook.policy;
  const path = ["policy", "deadline"];
  typeValue(typing, deadline, durationField, { part, path, names });
  allow.forEach(({ when }, index) => {
    const path = ["policy", "allow", index, "when"];
    typeCondition(typing, when, { part, path, names });
  });
  const ends = { ...names, result: bucketsField };
  return Object.fromEntries(
    Object.entries(runbook.outputs).map(([name, value]) => {
      const spot = { part, path: ["outputs", name], names: ends };
      return [name, typeValue(typing, value, anyValue, spot)];
    }),
  );
}

/**
 * Names in scope while a runbook runs.
 *
 * @param path Path of the enclosing step, within the runbook; empty at the top.
 * @param result Type of `result`; unknown when absent.
 */
export function namesWhileRunning(
  runbook: Runbook,
  found: FoundNames,
  path: string,
  result: ValueField = anyValue,
): ValueFields {
  const typed = typeRunbook(runbook, found);
  const { inputs } = runbook;
  return {
    inputs: typeInputs(
      runbook,
      Object.keys(inputs).map((name) => ["inputs", name]),
    ),
    vars: makeObject(typed.vars),
    groups: typeGroups(runbook),
    cluster: clusterField,
    decisions: makeObject(typed.decisions),
    steps: makeObject(typed.steps.get(path) ?? {}),
    node: nodeField,
    error: errorField,
    result,
  };
}

const anyValue: ValueField = { type: "any", summary: "Value" };
const countField: ValueField = { type: "countOrPercent", summary: "How many" };
const durationField: ValueField = { type: "duration", summary: "How long" };
