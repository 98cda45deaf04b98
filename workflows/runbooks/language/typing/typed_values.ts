/** State and results of typing a runbook. */

import type {
  Template,
  ValueField,
  ValueFields,
} from "../../../runbook_cel/field.ts";
import { allSteps } from "../walk.ts";
import type { FoundNames } from "../lookup.ts";
import type { SourceProblem } from "../problem.ts";
import { type Placed, placeIn } from "../source_places.ts";
import type { Expression, Runbook } from "../../runbook.ts";
import {
  checkExpression,
  references,
} from "../../../runbook_cel/expression.ts";
import { anyField } from "../../../runbook_cel/resolve.ts";
import { checkTemplate, sourcesIn } from "../../../runbook_cel/template.ts";
import { nearest } from "../../../../lib/text/nearest.ts";

/** Result of typing a runbook. */
export interface TypedValue {
  /** Problems, in the order of the steps. */
  readonly problems: readonly SourceProblem[];
  readonly vars: ValueFields;
  readonly decisions: ValueFields;
  readonly outputs: ValueFields;
  /** Types of `steps` in each list of steps, by the path of the enclosing step; empty for the runbook itself. */
  readonly steps: ReadonlyMap<string, ValueFields>;
}

/** State of typing. */
export interface Typing {
  readonly runbook: Runbook;
  readonly found: FoundNames;
  readonly problems: SourceProblem[];
  readonly vars: Record<string, ValueField>;
  readonly decisions: Record<string, ValueField>;
  /** Types of `steps`, by path. */
  readonly steps: Map<string, ValueFields>;
  readonly ids: ReadonlySet<string>;
}

/** Starts typing a runbook. */
export function beginTyping(runbook: Runbook, found: FoundNames): Typing {
  const { steps, rescue, always } = runbook;
  const ids = [...allSteps([...steps, ...rescue, ...always])].map(({ id }) =>
    id
  );
  return {
    runbook,
    found,
    problems: [],
    vars: {},
    decisions: {},
    steps: new Map(),
    ids: new Set(ids),
  };
}

/** Position of a value. */
export interface ExpressionPosition {
  /** Part of the runbook it belongs to. */
  readonly part: Placed;
  /** Keys and indices, as in the file. */
  readonly path: readonly (string | number)[];
  readonly names: ValueFields;
}

/** Types a condition. */
export function typeCondition(
  typing: Typing,
  source: Expression | undefined,
  { part, path, names }: ExpressionPosition,
): void {
  if (source === undefined) return;
  const checked = checkExpression(source, names, {
    type: "bool",
    summary: "Whether the check passes",
    required: true,
  });
  const at = { part, path, names };
  if ("fault" in checked) {
    const { message, hint } = checked.fault;
    typing.problems.push(problem(at, `${message}, in "${source}"`, hint));
  }
  typeReached(typing, source, at);
}

/** Types a value. Returns its type. */
export function typeValue(
  typing: Typing,
  value: Template | undefined,
  expected: ValueField,
  { part, path, names }: ExpressionPosition,
): ValueField {
  if (value === undefined) return anyField;
  const { field, problems } = checkTemplate(value, expected, names);
  for (const one of problems) {
    const inner = [...path, ...one.path];
    const text = textAt(value, one.path);
    const message = text === undefined
      ? one.message
      : `${one.message}, in "${text}"`;
    typing.problems.push(
      problem({ part, path: inner, names }, message, one.hint),
    );
  }
  for (const source of sourcesIn(value)) {
    typeReached(typing, source, { part, path, names });
  }
  return field;
}

function textAt(
  value: Template,
  path: readonly (string | number)[],
): string | undefined {
  let inner: Template | undefined = value;
  for (const key of path) {
    if (typeof inner !== "object" || inner === null) return undefined;
    inner = (inner as Readonly<Record<string | number, Template>>)[key];
  }
  return typeof inner === "string" ? inner : undefined;
}

/** Checks that steps in `reached` exist, and that `changed` is used only while steps run. */
function typeReached(
  typing: Typing,
  source: Expression,
  spot: ExpressionPosition,
): void {
  for (const { name, texts: [id] } of references(source).calls) {
    if (name === "changed" && !Object.hasOwn(spot.names, "steps")) {
      const message = `"changed" is only known while steps run, in "${source}"`;
      typing.problems.push(
        problem(spot, message, "Use it in a step of rescue or always"),
      );
    }
    if (name !== "reached" || id === undefined || typing.ids.has(id)) continue;
    const near = nearest(id, typing.ids);
    const hint = near === undefined ? undefined : `Did you mean "${near}"?`;
    typing.problems.push(problem(spot, `There is no step "${id}"`, hint));
  }
}

function problem(
  { part, path }: ExpressionPosition,
  message: string,
  hint: string | undefined,
): SourceProblem {
  const place = placeIn(part, ...path);
  return hint === undefined ? { place, message } : { place, message, hint };
}
