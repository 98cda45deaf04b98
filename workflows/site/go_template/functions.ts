/** Functions of Go templates, with those of sprig and Helm that public directories use. */

import { encodings } from "./encodings.ts";
import { listsAndMaps } from "./lists_and_maps.ts";
import { strings } from "./strings.ts";
import {
  findKind,
  formatValue,
  GoFloat,
  type GoValue,
  isList,
  isTrue,
} from "./values.ts";
import {
  any,
  fixed,
  FunctionProblem,
  type TemplateFunction,
  toNumber,
} from "./function.ts";

export { FunctionProblem, type TemplateFunction } from "./function.ts";

/** Result of whole numbers only, as sprig's arithmetic has it. */
const whole = (compute: (a: number, b: number) => number) =>
  any(1, (...values) =>
    values.map((one) => Math.trunc(toNumber(one)))
      .reduce((a, b) => Math.trunc(compute(a, b))));

function divided(a: number, b: number): number {
  if (b === 0) throw new FunctionProblem("division by zero");
  return a / b;
}

/** Compares as Go does: values of different kinds are an error. */
function compare(a: GoValue, b: GoValue): number {
  const kinds = [a, b].map(findKind);
  const isBasic = kinds.every((kind) => /^(string|int|float64)$/.test(kind));
  if (kinds[0] !== kinds[1] || !isBasic) {
    throw new FunctionProblem(
      `${kinds[0]} and ${kinds[1]} cannot be compared`,
    );
  }
  const [left, right] = [a, b].map((one) =>
    one instanceof GoFloat ? one.value : one as string | number
  );
  return left! < right! ? -1 : left! > right! ? 1 : 0;
}

function equal(a: GoValue, b: GoValue): boolean {
  if (a === null || b === null) return a === b;
  if (typeof a === "boolean" && typeof b === "boolean") return a === b;
  return compare(a, b) === 0;
}

function atIndex(value: GoValue, key: GoValue): GoValue {
  if (value instanceof Map) return value.get(formatValue(key)) ?? null;
  if (isList(value)) {
    const index = Math.trunc(toNumber(key));
    if (index >= 0 && index < value.length) return value[index] ?? null;
    throw new FunctionProblem(`index ${index} is out of range`);
  }
  throw new FunctionProblem(
    `there is no index in a value of kind ${findKind(value)}`,
  );
}

/** All functions by name. `and`, `or`, `include` and `env` are elsewhere. */
export const functions: Readonly<Record<string, TemplateFunction>> = {
  ...strings,
  ...listsAndMaps,
  ...encodings,
  and: any(1, () => null),
  or: any(1, () => null),
  include: fixed(2, () => null),
  not: fixed(1, (value) => !isTrue(value)),
  eq: any(2, (a, ...others) => others.some((b) => equal(a, b))),
  ne: fixed(2, (a, b) => !equal(a, b)),
  lt: fixed(2, (a, b) => compare(a, b) < 0),
  le: fixed(2, (a, b) => compare(a, b) <= 0),
  gt: fixed(2, (a, b) => compare(a, b) > 0),
  ge: fixed(2, (a, b) => compare(a, b) >= 0),
  index: any(1, (value, ...keys) => keys.reduce(atIndex, value)),
  len: fixed(1, (value) => {
    if (value instanceof Map) return value.size;
    if (isList(value)) return value.length;
    if (typeof value === "string") {
      return new TextEncoder().encode(value).length;
    }
    throw new FunctionProblem(
      `a value of kind ${findKind(value)} has no length`,
    );
  }),
  default: fixed(2, (initial, value) => isTrue(value) ? value : initial),
  empty: fixed(1, (value) => !isTrue(value)),
  coalesce: any(0, (...values) => values.find(isTrue) ?? null),
  ternary: fixed(3, (yes, no, value) => isTrue(value) ? yes : no),
  required: fixed(2, (message, value) => {
    if (value === null || value === "") {
      throw new FunctionProblem(formatValue(message));
    }
    return value;
  }),
  fail: fixed(1, (message) => {
    throw new FunctionProblem(formatValue(message));
  }),
  kindOf: fixed(1, findKind),
  kindIs: fixed(2, (kind, value) => findKind(value) === kind),
  int: fixed(1, (value) => Math.trunc(toNumber(value))),
  int64: fixed(1, (value) => Math.trunc(toNumber(value))),
  atoi: fixed(1, (value) => Math.trunc(toNumber(value))),
  float64: fixed(1, (value) => new GoFloat(toNumber(value))),
  add: whole((a, b) => a + b),
  add1: fixed(1, (value) => Math.trunc(toNumber(value)) + 1),
  sub: whole((a, b) => a - b),
  mul: whole((a, b) => a * b),
  div: whole(divided),
  mod: whole((a, b) => divided(a, b) && a % b),
  max: whole(Math.max),
  min: whole(Math.min),
};
