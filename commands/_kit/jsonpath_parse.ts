/** Reads the Kubernetes dialect of JSONPath templates. */

/** One step from values to the values below them. */
export type Step =
  | {
    /** Tells steps apart. */
    readonly kind: "wildcard" | "recursive";
  }
  | {
    /** Tells steps apart. */
    readonly kind: "field";
    /** Key of a mapping. */
    readonly name: string;
    /** What a quoted key with dots means when there is no such key. */
    readonly otherwise?: readonly Step[];
  }
  | {
    /** Tells steps apart. */
    readonly kind: "index";
    /** Place in a list, from its end when negative. */
    readonly index: number;
  }
  | {
    /** Tells steps apart. */
    readonly kind: "slice";
    /** First place, from the end when negative. */
    readonly from: number | undefined;
    /** First place behind, from the end when negative. */
    readonly to: number | undefined;
    /** Distance between places, at least 1. */
    readonly by: number;
  }
  | {
    /** Tells steps apart. */
    readonly kind: "union";
    /** Steps whose values are put behind each other. */
    readonly members: readonly Step[];
  }
  | {
    /** Tells steps apart. */
    readonly kind: "filter";
    /** What an item has to meet. */
    readonly test: Test;
  };

/** A path to values. */
export interface Path {
  /** Tells paths from texts and constants. */
  readonly kind: "path";
  /** True when it starts at the whole document, false at the present value. */
  readonly root: boolean;
  /** Steps in order; none for the start itself. */
  readonly steps: readonly Step[];
}

/** One side of a comparison. */
export type Operand = Path | {
  /** Tells paths from texts and constants. */
  readonly kind: "constant";
  /** Value as it was typed. */
  readonly value: string | number | boolean | null;
};

/** Operators of comparisons, longer ones first. */
export const operators = ["==", "!=", "<=", ">=", "<", ">"] as const;

/** One operator. */
export type Operator = (typeof operators)[number];

/** Condition of a filter. */
export type Test =
  | {
    /** Tells conditions apart. */
    readonly kind: "exists";
    /** Has to lead somewhere. */
    readonly path: Path;
  }
  | {
    /** Tells conditions apart. */
    readonly kind: "compare";
    /** How the sides are compared. */
    readonly operator: Operator;
    /** Left side. */
    readonly left: Operand;
    /** Right side. */
    readonly right: Operand;
  }
  | {
    /** Tells conditions apart. */
    readonly kind: "all" | "any";
    /** Conditions combined. */
    readonly tests: readonly Test[];
  }
  | {
    /** Tells conditions apart. */
    readonly kind: "not";
    /** Condition that must not hold. */
    readonly test: Test;
  };

/** One part of a template. */
export type Part = Path | {
  /** Tells paths, texts and ranges apart. */
  readonly kind: "text";
  /** Printed as it is. */
  readonly text: string;
} | {
  /** Tells paths, texts and ranges apart. */
  readonly kind: "range";
  /** Values to repeat for. */
  readonly path: Path;
  /** What is printed for each. */
  readonly parts: readonly Part[];
};

/** A template that cannot be read. */
export class JsonPathProblem extends Error {
  /**
   * @param at Place in the template, counted in characters from 1.
   * @param expected What would be right there.
   */
  constructor(at: number, expected: string) {
    super(`expected ${expected} at character ${at}`);
  }
}

interface Scanner {
  readonly source: string;
  at: number;
}

const name = /(?:\\.|[^\s.,[\](){}$@"'\\])+/y;
// Inside a filter operators end a name.
const filterName = /(?:\\.|[^\s.,[\](){}$@"'\\=!<>&|])+/y;
const spaces = /\s*/y;
const slice = /(-?\d*)\s*:\s*(-?\d*)\s*(?::\s*(-?\d*))?/y;
const integer = /-?\d+/y;
const constant = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const single = /'(?:\\[^]|[^'\\])*'/y;
const double = /"(?:\\[^]|[^"\\])*"/y;

/**
 * Reads a template.
 *
 * @param source Text with paths in braces; without any brace it is one path, its first dot optional.
 * @throws {JsonPathProblem} Naming the place and what would be right.
 */
export function parseTemplate(source: string): readonly Part[] {
  const scanner: Scanner = { source, at: 0 };
  if (!source.includes("{")) {
    const path = readPath(scanner, name);
    if (scanner.at < source.length) expected(scanner, "the end");
    return [path];
  }
  const parts = readParts(scanner, 0);
  return parts;
}

/** Deepest nesting of ranges and of conditions. */
const deepest = 50;

function readParts(scanner: Scanner, depth: number): Part[] {
  const parts: Part[] = [];
  if (depth > deepest) expected(scanner, "less nesting");
  while (scanner.at < scanner.source.length) {
    const open = scanner.source.indexOf("{", scanner.at);
    const end = open < 0 ? scanner.source.length : open;
    if (end > scanner.at) {
      parts.push({ kind: "text", text: scanner.source.slice(scanner.at, end) });
    }
    scanner.at = end;
    if (!accept(scanner, "{")) break;
    match(scanner, spaces);
    if (keyword(scanner, "end")) {
      if (depth === 0) expected(scanner, "{range} before {end}");
      close(scanner);
      return parts;
    }
    parts.push(readAction(scanner, depth));
  }
  if (depth > 0) expected(scanner, "{end}");
  return parts;
}

function readAction(scanner: Scanner, depth: number): Part {
  if (keyword(scanner, "range")) {
    match(scanner, spaces);
    const path = readPath(scanner, name);
    close(scanner);
    return { kind: "range", path, parts: readParts(scanner, depth + 1) };
  }
  const text = readQuoted(scanner);
  const part: Part = text === undefined
    ? readPath(scanner, name)
    : { kind: "text", text: unescape(text) };
  close(scanner);
  return part;
}

function close(scanner: Scanner): void {
  match(scanner, spaces);
  if (!accept(scanner, "}")) expected(scanner, '"}"');
}

function readPath(scanner: Scanner, names: RegExp): Path {
  const start = scanner.at;
  const root = accept(scanner, "$");
  if (!root) accept(scanner, "@");
  const steps: Step[] = [];
  const bare = match(scanner, names);
  if (bare !== undefined) {
    // Only the first name may stand without its dot.
    if (scanner.at - bare.length > start) expected(scanner, '"." or "["');
    steps.push({ kind: "field", name: unescape(bare) });
  }
  while (readStep(scanner, names, steps)) match(scanner, spaces);
  if (scanner.at === start) expected(scanner, "a path");
  return { kind: "path", root, steps };
}

function readStep(scanner: Scanner, names: RegExp, into: Step[]): boolean {
  if (accept(scanner, "[")) {
    into.push(readBrackets(scanner));
    return true;
  }
  if (!accept(scanner, ".")) return false;
  const recursive = accept(scanner, ".");
  if (recursive) into.push({ kind: "recursive" });
  if (accept(scanner, "*")) {
    into.push({ kind: "wildcard" });
    return true;
  }
  const found = match(scanner, names);
  if (found !== undefined) {
    into.push({ kind: "field", name: unescape(found) });
  } else if (into.length > (recursive ? 1 : 0) && !at(scanner, "[")) {
    // A lone dot means the whole value, but only at the start.
    expected(scanner, "a name");
  }
  return true;
}

function readBrackets(scanner: Scanner): Step {
  match(scanner, spaces);
  if (accept(scanner, "?")) {
    match(scanner, spaces);
    if (!accept(scanner, "(")) expected(scanner, '"("');
    const test = readAny(scanner, 0);
    if (!accept(scanner, ")")) expected(scanner, '")"');
    endOfBrackets(scanner);
    return { kind: "filter", test };
  }
  const members: Step[] = [];
  do {
    match(scanner, spaces);
    members.push(readMember(scanner));
    match(scanner, spaces);
  } while (accept(scanner, ","));
  endOfBrackets(scanner);
  const [only, ...others] = members;
  return only !== undefined && others.length === 0
    ? only
    : { kind: "union", members };
}

function endOfBrackets(scanner: Scanner): void {
  match(scanner, spaces);
  if (!accept(scanner, "]")) expected(scanner, '"]"');
}

function readMember(scanner: Scanner): Step {
  if (accept(scanner, "*")) return { kind: "wildcard" };
  const quoted = readQuoted(scanner);
  if (quoted !== undefined) return keyStep(quoted);
  slice.lastIndex = scanner.at;
  const range = slice.exec(scanner.source);
  if (range !== null) {
    scanner.at = slice.lastIndex;
    const [from, to, by] = range.slice(1).map(optionalNumber);
    if (by !== undefined && by < 1) expected(scanner, "a step above 0");
    return { kind: "slice", from, to, by: by ?? 1 };
  }
  const index = match(scanner, integer);
  if (index === undefined) {
    expected(scanner, "a number, a quoted key, a slice, * or ?(");
  }
  return { kind: "index", index: Number(index) };
}

function optionalNumber(text: string | undefined): number | undefined {
  return text === undefined || text === "" ? undefined : Number(text);
}

/** A quoted key; one with dots may also be a path, as Kubernetes reads it. */
function keyStep(quoted: string): Step {
  const keys = quoted.split(/(?<!\\)\./).map(unescape);
  const name = unescape(quoted);
  if (keys.length < 2 || keys.includes("")) return { kind: "field", name };
  const otherwise = keys.map((name): Step => ({ kind: "field", name }));
  return { kind: "field", name, otherwise };
}

function readAny(scanner: Scanner, depth: number): Test {
  const tests = [readAll(scanner, depth)];
  while (accept(scanner, "||")) tests.push(readAll(scanner, depth));
  return combined("any", tests);
}

function readAll(scanner: Scanner, depth: number): Test {
  const tests = [readTest(scanner, depth)];
  while (accept(scanner, "&&")) tests.push(readTest(scanner, depth));
  return combined("all", tests);
}

function combined(
  kind: "all" | "any",
  tests: readonly [Test, ...Test[]] | readonly Test[],
): Test {
  const [only, ...others] = tests;
  return only !== undefined && others.length === 0 ? only : { kind, tests };
}

function readTest(scanner: Scanner, depth: number): Test {
  if (depth > deepest) expected(scanner, "less nesting");
  match(scanner, spaces);
  if (at(scanner, "!") && !at(scanner, "!=")) {
    accept(scanner, "!");
    return { kind: "not", test: readTest(scanner, depth + 1) };
  }
  if (accept(scanner, "(")) {
    const test = readAny(scanner, depth + 1);
    if (!accept(scanner, ")")) expected(scanner, '")"');
    match(scanner, spaces);
    return test;
  }
  const left = readOperand(scanner);
  match(scanner, spaces);
  const operator = operators.find((known) => accept(scanner, known));
  if (operator === undefined) {
    if (left.kind === "path") return { kind: "exists", path: left };
    expected(scanner, `one of ${operators.join(" ")}`);
  }
  match(scanner, spaces);
  const right = readOperand(scanner);
  match(scanner, spaces);
  return { kind: "compare", operator, left, right };
}

function readOperand(scanner: Scanner): Operand {
  const quoted = readQuoted(scanner);
  if (quoted !== undefined) {
    return { kind: "constant", value: unescape(quoted) };
  }
  const value = match(scanner, constant);
  if (value !== undefined) {
    return { kind: "constant", value: JSON.parse(value) };
  }
  return readPath(scanner, filterName);
}

/** What stands between quotes, its escapes as they are. */
function readQuoted(scanner: Scanner): string | undefined {
  const found = match(scanner, at(scanner, "'") ? single : double);
  if (found !== undefined) return found.slice(1, -1);
  if (at(scanner, "'") || at(scanner, '"')) {
    expected(scanner, "a closing quote");
  }
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
};

function unescape(text: string): string {
  return text.replace(
    /\\(?:u([\da-fA-F]{4})|([^]))/g,
    (_, code: string | undefined, letter = "") =>
      code === undefined
        ? escapes[letter] ?? letter
        : String.fromCharCode(parseInt(code, 16)),
  );
}

function keyword(scanner: Scanner, word: string): boolean {
  const next = scanner.source[scanner.at + word.length] ?? "";
  return /[\s}]|^$/.test(next) && accept(scanner, word);
}

function match(scanner: Scanner, pattern: RegExp): string | undefined {
  pattern.lastIndex = scanner.at;
  const found = pattern.exec(scanner.source)?.[0];
  scanner.at += found?.length ?? 0;
  return found;
}

function at(scanner: Scanner, text: string): boolean {
  return scanner.source.startsWith(text, scanner.at);
}

function accept(scanner: Scanner, text: string): boolean {
  if (!at(scanner, text)) return false;
  scanner.at += text.length;
  return true;
}

function expected(scanner: Scanner, what: string): never {
  throw new JsonPathProblem(scanner.at + 1, what);
}
