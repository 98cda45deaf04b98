/** CEL functions and operators. */

import { readType, type Type } from "./types.ts";

/** An overload of a function. */
export interface Overload {
  /** Types of the arguments; the first one of a method is its receiver. */
  readonly params: readonly Type[];
  readonly result: Type;
  /** Comparison of different number types, which nodes allow only after a macro. */
  readonly mixedComparisons: boolean;
}

/**
 * Functions by name; names of methods start with a dot.
 *
 * Each has one or more signatures, `parameters -> result`, in the order nodes try them.
 */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

const comparable = "bool bool; int int; ~int double; ~int uint; uint uint; " +
  "~uint double; ~uint int; double double; ~double int; ~double uint; " +
  "string string; bytes bytes; timestamp timestamp; duration duration";

const size = "bytes -> int; list(A) -> int; map(A,B) -> int; string -> int";

const ofDate = "timestamp -> int; timestamp string -> int";

const ofTime = `${ofDate}; duration -> int`;

/** Caches a value on first use: few configurations have expressions, and parsing all types takes 2 ms. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Functions of all environments. */
export const standardFunctions: () => Functions = lazily(() =>
  readFunctions({
    "_?_:_": "bool A A -> A",
    "!_": "bool -> bool",
    "@not_strictly_false": "bool -> bool",
    "_==_": "A A -> bool",
    "_!=_": "A A -> bool",
    "_+_": "bytes bytes -> bytes; double double -> double; " +
      "duration duration -> duration; duration timestamp -> timestamp; " +
      "timestamp duration -> timestamp; int int -> int; " +
      "list(A) list(A) -> list(A); string string -> string; uint uint -> uint",
    "_/_": "double double -> double; int int -> int; uint uint -> uint",
    "_%_": "int int -> int; uint uint -> uint",
    "_*_": "double double -> double; int int -> int; uint uint -> uint",
    "-_": "double -> double; int -> int",
    "_-_": "double double -> double; duration duration -> duration; " +
      "int int -> int; timestamp duration -> timestamp; " +
      "timestamp timestamp -> duration; uint uint -> uint",
    "_<_": comparisons(),
    "_<=_": comparisons(),
    "_>_": comparisons(),
    "_>=_": comparisons(),
    "_[_]": "list(A) int -> A; map(A,B) A -> B",
    "in": "A list(A) -> bool; A map(A,B) -> bool",
    "size": size,
    ".size": size,
    "type": "A -> type",
    "bool": "bool -> bool; string -> bool",
    "bytes": "bytes -> bytes; string -> bytes",
    "double": "double -> double; int -> double; string -> double; " +
      "uint -> double",
    "duration": "duration -> duration; string -> duration",
    "dyn": "A -> dyn",
    "int": "int -> int; double -> int; duration -> int; string -> int; " +
      "timestamp -> int; uint -> int",
    "string": "string -> string; bool -> string; bytes -> string; " +
      "double -> string; duration -> string; int -> string; " +
      "timestamp -> string; uint -> string",
    "timestamp": "timestamp -> timestamp; int -> timestamp; " +
      "string -> timestamp",
    "uint": "uint -> uint; double -> uint; int -> uint; string -> uint",
    ".contains": "string string -> bool",
    ".endsWith": "string string -> bool",
    ".startsWith": "string string -> bool",
    "matches": "string string -> bool",
    ".matches": "string string -> bool",
    ".getFullYear": ofDate,
    ".getMonth": ofDate,
    ".getDayOfYear": ofDate,
    ".getDayOfMonth": ofDate,
    ".getDate": ofDate,
    ".getDayOfWeek": ofDate,
    ".getHours": ofTime,
    ".getMinutes": ofTime,
    ".getSeconds": ofTime,
    ".getMilliseconds": ofTime,
  })
);

/** Functions of environments with optional values, in addition to the standard ones. */
export const optionalFunctions: () => Functions = lazily(() =>
  readFunctions({
    "optional.of": "V -> optional(V)",
    "optional.ofNonZeroValue": "V -> optional(V)",
    "optional.none": "-> optional(V)",
    "optional.unwrap": "list(optional(V)) -> list(V)",
    ".unwrapOpt": "list(optional(V)) -> list(V)",
    ".value": "optional(V) -> V",
    ".hasValue": "optional(V) -> bool",
    ".or": "optional(V) optional(V) -> optional(V)",
    ".orValue": "optional(V) V -> V",
    ".first": "list(V) -> optional(V)",
    ".last": "list(V) -> optional(V)",
    "_[?_]": "list(V) int -> optional(V); " +
      "optional(list(V)) int -> optional(V); map(K,V) K -> optional(V); " +
      "optional(map(K,V)) K -> optional(V)",
    "_[_]": "optional(list(V)) int -> optional(V); " +
      "optional(map(K,V)) K -> optional(V)",
  })
);

/** Parses functions from their signatures by name, separated by `; `. */
export function readFunctions(
  signatures: Readonly<Record<string, string>>,
): Functions {
  return new Map(
    Object.entries(signatures).map(([name, text]) =>
      [name, text.split("; ").map(readOverload)] as const
    ),
  );
}

/**
 * Merges functions; those of the same name keep all overloads.
 *
 * @param all In the order nodes try them.
 */
export function joinFunctions(...all: readonly Functions[]): Functions {
  const joined = new Map<string, readonly Overload[]>();
  for (const [name, overloads] of all.flatMap((functions) => [...functions])) {
    joined.set(name, [...joined.get(name) ?? [], ...overloads]);
  }
  return joined;
}

function readOverload(text: string): Overload {
  const [before = "", result = ""] = text.split("-> ");
  const params = before.replace(/^~/, "").split(" ").filter((word) =>
    word !== ""
  );
  return {
    params: params.map(readType),
    result: readType(result),
    mixedComparisons: before.startsWith("~"),
  };
}

function comparisons(): string {
  return comparable.split("; ").map((pair) => `${pair} -> bool`).join("; ");
}
