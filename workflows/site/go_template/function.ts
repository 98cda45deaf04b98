/** How functions of templates are declared. */

import {
  findKind,
  formatValue,
  GoFloat,
  type GoValue,
  isList,
} from "./values.ts";

/** A function. */
export interface TemplateFunction {
  /** Fewest and most arguments. */
  readonly from: number;
  readonly to: number;
  readonly call: (...args: GoValue[]) => GoValue;
}

/** What is wrong with the arguments of a function. */
export class FunctionProblem extends Error {}

// The number of arguments is checked before.
type Call = (...args: never[]) => GoValue;

/** A function with a fixed number of arguments. */
export function fixed(
  count: number,
  call: (a: GoValue, b: GoValue, c: GoValue) => GoValue,
): TemplateFunction {
  return {
    from: count,
    to: count,
    call: call as Call as TemplateFunction["call"],
  };
}

/** A function with any number of arguments. */
export function any(
  from: number,
  call: (first: GoValue, ...others: GoValue[]) => GoValue,
): TemplateFunction {
  return { from, to: Infinity, call: call as Call as TemplateFunction["call"] };
}

/** Converts to a number as sprig does: what is none is 0. */
export function toNumber(value: GoValue): number {
  if (value instanceof GoFloat) return value.value;
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  const number = typeof value === "string" ? Number(value.trim() || 0) : 0;
  return Number.isNaN(number) ? 0 : number;
}

/** A text; any other value is an error. */
export function textIn(value: GoValue): string {
  if (typeof value === "string") return value;
  throw new FunctionProblem(`it needs a string, not ${findKind(value)}`);
}

/** A list; any other value is an error. */
export function listIn(value: GoValue): readonly GoValue[] {
  if (isList(value)) return value;
  throw new FunctionProblem(`it needs a list, not ${findKind(value)}`);
}

/** A mapping; any other value is an error. */
export function mapIn(value: GoValue): Map<string, GoValue> {
  if (value instanceof Map) return value;
  throw new FunctionProblem(`it needs a mapping, not ${findKind(value)}`);
}

/** Text of any value, as sprig makes it. */
export function toText(value: GoValue): string {
  return formatValue(value, "<nil>");
}
