import { isRecord } from "../../lib/json.ts";
import type { JsonPath, Operand, Operator, PathStep, Test } from "./syntax.ts";

/** A strict path without a value. */
export class NotFound extends Error {}

/** A template that yields more values than any document needs. */
export class TooMany extends Error {
  constructor() {
    super(`it leads to more than ${mostValues} values`);
  }
}

/** Most values of one template in one document, including intermediate ones. */
const mostValues = 5_000_000;

interface Tally {
  /** Number of values so far, including intermediate ones. */
  values: number;
}

/** Context for evaluating a path. */
export interface ValueAt {
  readonly root: unknown;
  /** Start of relative paths. */
  readonly present: unknown;
  /** True if a missing key or index throws {@linkcode NotFound}. */
  readonly strict: boolean;
  /** Shared counter; above five million, {@linkcode TooMany} is thrown. */
  readonly tally: Tally;
}

/** Context for the start of a template. `strict`: true if a missing key or index throws {@linkcode NotFound}. */
export function startIn(document: unknown, strict: boolean): ValueAt {
  return { root: document, present: document, strict, tally: { values: 0 } };
}

/**
 * Evaluates a path. Returns all values, in order. Throws `NotFound` in a strict context if no value
 * has the key or index. Throws `TooMany` above the limit.
 */
export function valuesAt(path: JsonPath, place: ValueAt): readonly unknown[] {
  let values: readonly unknown[] = [path.root ? place.root : place.present];
  for (const step of path.steps) {
    values = next(values, step, place);
  }
  return values;
}

/** Counts values. Throws `TooMany` above the limit. */
export function count({ tally }: ValueAt, found: number): void {
  tally.values += found;
  if (tally.values > mostValues) throw new TooMany();
}

function next(
  values: readonly unknown[],
  step: PathStep,
  place: ValueAt,
): readonly unknown[] {
  switch (step.kind) {
    case "field":
      return findAll(
        values,
        (value) => field(value, step, place),
        place,
        step.name,
      );
    case "index":
      return findAll(
        values,
        (value) => item(value, step.index),
        place,
        `[${step.index}]`,
      );
    case "wildcard":
      return gather(values, children, place);
    case "recursive":
      return gather(values, (one) => withDescendants(one, place), place);
    case "slice":
      return gather(values, (value) => sliceArray(value, step), place);
    case "union":
      return gather(
        step.members,
        (member) => next(values, member, place),
        place,
      );
    case "filter":
      return gather(values, children, place).filter((present) =>
        holds(step.test, { ...place, present, strict: false })
      );
  }
}

/** Children of each value, in order; counted before they are kept. */
function gather<T>(
  values: readonly T[],
  below: (value: T) => readonly unknown[],
  place: ValueAt,
): readonly unknown[] {
  const all: unknown[] = [];
  for (const value of values) {
    const found = below(value);
    count(place, found.length);
    for (const one of found) all.push(one);
  }
  return all;
}

function findAll(
  values: readonly unknown[],
  below: (value: unknown) => readonly unknown[],
  place: ValueAt,
  name: string,
): readonly unknown[] {
  const all = gather(values, below, place);
  if (place.strict && all.length === 0 && values.length > 0) {
    throw new NotFound(`${name} is not found`);
  }
  return all;
}

function field(
  value: unknown,
  { name, otherwise }: Extract<PathStep, { kind: "field" }>,
  { tally }: ValueAt,
): readonly unknown[] {
  if (!isRecord(value)) return [];
  if (Object.hasOwn(value, name)) {
    // A declared field without a value counts as missing.
    return value[name] === undefined ? [] : [value[name]];
  }
  const start: ValueAt = { ...startIn(value, false), tally };
  return otherwise === undefined
    ? []
    : valuesAt({ kind: "path", root: false, steps: otherwise }, start);
}

function item(value: unknown, index: number): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const at = index < 0 ? value.length + index : index;
  return at >= 0 && at < value.length ? [value[at]] : [];
}

function sliceArray(
  value: unknown,
  { from, to, by }: Extract<PathStep, { kind: "slice" }>,
): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  return value.slice(from, to).filter((_, i) => i % by === 0);
}

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return [];
  return Object.values(value).filter((one) => one !== undefined);
}

function withDescendants(value: unknown, place: ValueAt): readonly unknown[] {
  const all = [value];
  const visit = (one: unknown) => {
    for (const child of children(one)) {
      count(place, 1);
      all.push(child);
      visit(child);
    }
  };
  visit(value);
  return all;
}

function holds(test: Test, place: ValueAt): boolean {
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
      return sides(test.left, place).some((a) => {
        count(place, right.length);
        return right.some((b) => compares(a, test.operator, b));
      });
    }
  }
}

function sides(operand: Operand, place: ValueAt): readonly unknown[] {
  return operand.kind === "constant"
    ? [operand.value]
    : valuesAt(operand, place);
}

/** Values of different types are unequal and unordered. */
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
  // Loose equality only for the two kinds of number.
  // deno-lint-ignore eqeqeq
  return isNumber(a) && isNumber(b) ? a == b : a === b;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
