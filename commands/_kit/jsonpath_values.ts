/** Follows JSONPath paths through values. */

import type { Operand, Operator, Path, Step, Test } from "./jsonpath_syntax.ts";

/** A path that leads nowhere, where that is an error. */
export class NotFound extends Error {}

/** Where a path is followed. */
export interface Place {
  /** The whole document. */
  readonly root: unknown;
  /** The value a relative path starts at. */
  readonly present: unknown;
  /** True when a missing key or place raises {@linkcode NotFound}. */
  readonly strict: boolean;
}

/**
 * Follows a path.
 *
 * @param path Any path.
 * @param place Where it starts.
 * @returns Everything it leads to, in order.
 * @throws {NotFound} In a strict place, when no value has the key or place asked for.
 */
export function valuesAt(path: Path, place: Place): readonly unknown[] {
  let values: readonly unknown[] = [path.root ? place.root : place.present];
  for (const step of path.steps) {
    values = next(values, step, place);
  }
  return values;
}

function next(
  values: readonly unknown[],
  step: Step,
  place: Place,
): readonly unknown[] {
  switch (step.kind) {
    case "field":
      return found(values, (value) => field(value, step), place, step.name);
    case "index":
      return found(
        values,
        (value) => item(value, step.index),
        place,
        `[${step.index}]`,
      );
    case "wildcard":
      return values.flatMap(children);
    case "recursive":
      return values.flatMap(withDescendants);
    case "slice":
      return values.flatMap((value) => sliced(value, step));
    case "union":
      return step.members.flatMap((member) => next(values, member, place));
    case "filter":
      return values.flatMap(children).filter((present) =>
        holds(step.test, { ...place, present, strict: false })
      );
  }
}

function found(
  values: readonly unknown[],
  below: (value: unknown) => readonly unknown[],
  { strict }: Place,
  name: string,
): readonly unknown[] {
  const all = values.flatMap(below);
  if (strict && all.length === 0 && values.length > 0) {
    throw new NotFound(`${name} is not found`);
  }
  return all;
}

function field(
  value: unknown,
  { name, otherwise }: Extract<Step, { kind: "field" }>,
): readonly unknown[] {
  if (!isRecord(value)) return [];
  if (Object.hasOwn(value, name)) {
    // A field that is declared and not set is as good as none.
    return value[name] === undefined ? [] : [value[name]];
  }
  const start: Place = { root: value, present: value, strict: false };
  return otherwise === undefined
    ? []
    : valuesAt({ kind: "path", root: false, steps: otherwise }, start);
}

function item(value: unknown, index: number): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const at = index < 0 ? value.length + index : index;
  return at >= 0 && at < value.length ? [value[at]] : [];
}

function sliced(
  value: unknown,
  { from, to, by }: Extract<Step, { kind: "slice" }>,
): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  return value.slice(from, to).filter((_, i) => i % by === 0);
}

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return [];
  return Object.values(value).filter((one) => one !== undefined);
}

function withDescendants(value: unknown): readonly unknown[] {
  return [value, ...children(value).flatMap(withDescendants)];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function holds(test: Test, place: Place): boolean {
  switch (test.kind) {
    case "all":
      return test.tests.every((one) => holds(one, place));
    case "any":
      return test.tests.some((one) => holds(one, place));
    case "not":
      return !holds(test.test, place);
    case "exists":
      return valuesAt(test.path, place).length > 0;
    case "compare": {
      const right = sides(test.right, place);
      return sides(test.left, place).some((a) =>
        right.some((b) => compares(a, test.operator, b))
      );
    }
  }
}

function sides(operand: Operand, place: Place): readonly unknown[] {
  return operand.kind === "constant"
    ? [operand.value]
    : valuesAt(operand, place);
}

/** Values of different types are different, and neither is the smaller one. */
function compares(a: unknown, operator: Operator, b: unknown): boolean {
  if (operator === "==") return equal(a, b);
  if (operator === "!=") return !equal(a, b);
  if (!(isNumber(a) && isNumber(b)) && !(isText(a) && isText(b))) return false;
  switch (operator) {
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
  }
}

function equal(a: unknown, b: unknown): boolean {
  // Loose only between the two kinds of number.
  // deno-lint-ignore eqeqeq
  return isNumber(a) && isNumber(b) ? a == b : a === b;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
