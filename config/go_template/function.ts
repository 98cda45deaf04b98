/** How functions of templates are declared. */

import {
  findKind,
  formatValue,
  GoFloat,
  type GoValue,
  isList,
} from "./values.ts";

/** A function. */
export interface GoFunction {
  /** Fewest and most arguments. */
  readonly least: number;
  readonly most: number;
  readonly call: (args: readonly GoValue[]) => GoValue;
}

/** What is wrong with the arguments of a function. */
export class FunctionProblem extends Error {}

/** Kinds of arguments, and how they are read. */
const kinds = {
  any: (value: GoValue) => value,
  /** Text of any value, as sprig writes it. */
  text: (value: GoValue) => formatValue(value, "<nil>"),
  string: (value: GoValue) =>
    typeof value === "string" ? value : refuse(value, "a string"),
  int: (value: GoValue) =>
    typeof value === "number" ? value : refuse(value, "a whole number"),
  /** A whole number; what is none is 0, as in sprig. */
  number: (value: GoValue) => {
    if (typeof value === "string") return parseWhole(value);
    const plain = value instanceof GoFloat ? value.value : value;
    return typeof plain === "object" ? 0 : Math.trunc(Number(plain));
  },
  list: (value: GoValue) => isList(value) ? value : refuse(value, "a list"),
  map: (value: GoValue) =>
    value instanceof Map ? value : refuse(value, "a mapping"),
};

/** As Go reads a literal: 012 is octal. */
function parseWhole(text: string): number {
  const [, sign, digits = "0"] =
    /^([-+]?)(0x[\da-f]+|0b[01]+|0o?[0-7]+|[1-9]\d*)(?:\.0*)?$/i.exec(text) ??
      [];
  const value = Number(digits.replace(/^0(?=\d)/, "0o"));
  return sign === "-" ? -value : value;
}

function refuse(value: GoValue, wanted: string): never {
  throw new FunctionProblem(`it needs ${wanted}, not ${findKind(value)}`);
}

type Kind = keyof typeof kinds;
type Read<Name extends Kind> = ReturnType<(typeof kinds)[Name]>;

/** Declares a function whose arguments have the same kind. `most`: by default, as many as it names. */
export function all<Name extends Kind>(
  kind: Name,
  call: (...args: Read<Name>[]) => GoValue,
  most: number = call.length,
): GoFunction {
  const read = kinds[kind] as (value: GoValue) => Read<Name>;
  return { least: call.length, most, call: (args) => call(...args.map(read)) };
}

/** Declares a function by the kinds of its arguments. */
export function fn<First extends Kind, Second extends Kind>(
  first: First,
  second: Second,
  call: (first: Read<First>, second: Read<Second>) => GoValue,
): GoFunction {
  const readFirst = kinds[first] as (value: GoValue) => Read<First>;
  const readSecond = kinds[second] as (value: GoValue) => Read<Second>;
  return {
    least: 2,
    most: 2,
    call: ([a = null, b = null]) => call(readFirst(a), readSecond(b)),
  };
}
