/** Parser for one path of a JSONPath template, including filters. */

import {
  accept,
  at,
  expectedError,
  match,
  readQuoted,
  type Scanner,
  skipSpaces,
  unescape,
} from "./scan.ts";
import type { JsonPath, Operand, Operator, PathStep, Test } from "./syntax.ts";

const name = /(?:\\[^]|[^\s.,[\](){}$@"'\\])+/y;
// In a filter, operators end a name.
const filterName = /(?:\\[^]|[^\s.,[\](){}$@"'\\=!<>&|])+/y;
const slice = /(-?\d+)?\s*:\s*(-?\d+)?\s*(?::\s*(-?\d+)?)?/y;
const integer = /-?\d+/y;
const constant =
  /(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;

/** Longer ones first, so that `<=` is not parsed as `<`. */
const operators: readonly Operator[] = ["==", "!=", "<=", ">=", "<", ">"];

/** Deepest nesting of filters. */
const deepestFilter = 10;

const deepest = 50;

/**
 * Parses a path.
 *
 * @param scanner Advanced past the path and following white space.
 * @throws {JsonPathProblem} With the position and the expected text.
 */
export function readPath(scanner: Scanner): JsonPath {
  return parsePath(scanner, name);
}

function parsePath(scanner: Scanner, names: RegExp): JsonPath {
  const start = scanner.at;
  const root = accept(scanner, "$");
  const present = !root && accept(scanner, "@");
  const steps: PathStep[] = [];
  if (!root && !present) {
    // The dot of the first name is optional.
    const bare = match(scanner, names);
    if (bare !== undefined) steps.push({ kind: "field", name: unescape(bare) });
  }
  skipSpaces(scanner);
  while (readStep(scanner, names, steps)) skipSpaces(scanner);
  if (scanner.at === start) expectedError(scanner, "a path");
  return { kind: "path", root, steps };
}

function readStep(scanner: Scanner, names: RegExp, into: PathStep[]): boolean {
  if (accept(scanner, "[")) {
    into.push(readBrackets(scanner));
    return true;
  }
  if (!accept(scanner, ".")) return false;
  const first = into.length === 0;
  if (accept(scanner, ".")) into.push({ kind: "recursive" });
  const found = match(scanner, names);
  if (found === "*") into.push({ kind: "wildcard" });
  else if (found !== undefined) {
    into.push({ kind: "field", name: unescape(found) });
  } else if (!first && !at(scanner, "[")) {
    // A lone dot means the whole value, but only at the start.
    expectedError(scanner, "a name");
  }
  return true;
}

function readBrackets(scanner: Scanner): PathStep {
  skipSpaces(scanner);
  if (accept(scanner, "?")) return readFilter(scanner);
  const members: PathStep[] = [];
  do {
    skipSpaces(scanner);
    members.push(readMember(scanner));
    skipSpaces(scanner);
  } while (accept(scanner, ","));
  close(scanner, "]");
  const [only, ...others] = members;
  return only !== undefined && others.length === 0
    ? only
    : { kind: "union", members };
}

function readMember(scanner: Scanner): PathStep {
  if (accept(scanner, "*")) return { kind: "wildcard" };
  const quoted = readQuoted(scanner);
  if (quoted !== undefined) return keyStep(quoted);
  const range = match(scanner, slice);
  if (range !== undefined) return sliceStep(scanner, range);
  const index = match(scanner, integer) ??
    expectedError(scanner, "a number, a quoted key, a slice, * or ?(");
  return { kind: "index", index: Number(index) };
}

function sliceStep(scanner: Scanner, range: string): PathStep {
  const [from, to, by = 1] = range.split(":").map((text) =>
    text.trim() === "" ? undefined : Number(text)
  );
  if (by < 1) expectedError(scanner, "a step of 1 or more before this");
  return { kind: "slice", from, to, by };
}

/** A quoted key; one with dots may also be a path, as in Kubernetes. */
function keyStep(quoted: string): PathStep {
  const names = quoted.split(/(?<!\\)\./).map(unescape);
  const whole = unescape(quoted);
  if (names.length < 2 || names.includes("")) {
    return { kind: "field", name: whole };
  }
  const otherwise = names.map((name): PathStep => ({ kind: "field", name }));
  return { kind: "field", name: whole, otherwise };
}

function readFilter(scanner: Scanner): PathStep {
  skipSpaces(scanner);
  if (!accept(scanner, "(")) expectedError(scanner, '"("');
  scanner.filters = (scanner.filters ?? 0) + 1;
  if (scanner.filters > deepestFilter) expectedError(scanner, "less nesting");
  const test = readAny(scanner, 0);
  scanner.filters--;
  close(scanner, ")");
  skipSpaces(scanner);
  close(scanner, "]");
  return { kind: "filter", test };
}

function close(scanner: Scanner, bracket: "]" | ")"): void {
  if (!accept(scanner, bracket)) expectedError(scanner, `"${bracket}"`);
}

function readAny(scanner: Scanner, depth: number): Test {
  const tests = [readAll(scanner, depth)];
  while (accept(scanner, "||")) tests.push(readAll(scanner, depth));
  return { kind: "any", tests };
}

function readAll(scanner: Scanner, depth: number): Test {
  const tests = [readTest(scanner, depth)];
  while (accept(scanner, "&&")) tests.push(readTest(scanner, depth));
  return { kind: "all", tests };
}

function readTest(scanner: Scanner, depth: number): Test {
  if (depth > deepest) expectedError(scanner, "less nesting");
  skipSpaces(scanner);
  if (accept(scanner, "!")) {
    return { kind: "not", test: readTest(scanner, depth + 1) };
  }
  if (accept(scanner, "(")) {
    const test = readAny(scanner, depth + 1);
    close(scanner, ")");
    skipSpaces(scanner);
    return test;
  }
  return readComparison(scanner);
}

function readComparison(scanner: Scanner): Test {
  const left = readOperand(scanner);
  const operator = operators.find((known) => accept(scanner, known));
  if (operator !== undefined) {
    skipSpaces(scanner);
    return { kind: "compare", operator, left, right: readOperand(scanner) };
  }
  if (left.kind === "path") return { kind: "exists", path: left };
  return expectedError(scanner, `one of ${operators.join(" ")}`);
}

function readOperand(scanner: Scanner): Operand {
  const quoted = readQuoted(scanner);
  const value = quoted === undefined ? match(scanner, constant) : undefined;
  const operand: Operand = quoted !== undefined
    ? { kind: "constant", value: unescape(quoted) }
    : value !== undefined
    ? { kind: "constant", value: parseValue(value) }
    : parsePath(scanner, filterName);
  skipSpaces(scanner);
  return operand;
}

/** A number may have leading zeros, as in Kubernetes. */
function parseValue(constant: string): string | number | boolean | null {
  if (constant === "null") return null;
  if (constant === "true" || constant === "false") return constant === "true";
  return Number(constant);
}
