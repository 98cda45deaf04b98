/** Functions of Go templates, with those of sprig and Helm that public directories use. */

import { stringify } from "yaml";
import { goPattern } from "../go_pattern.ts";
import { readDocuments } from "../tree/read.ts";
import { ConfigError } from "../../errors.ts";
import type { Json } from "../../lib/json.ts";
import { all, fn, FunctionProblem, type GoFunction } from "./function.ts";
import { joinValues, print } from "./print.ts";
import {
  findKind,
  formatValue,
  fromJson,
  fromNode,
  GoFloat,
  type GoValue,
  isList,
  isTrue,
  sortedEntries,
  toJson,
} from "./values.ts";

/** All functions by name, without `and`, `or` and `env`. */
export const functions: Readonly<Record<string, GoFunction>> = {
  // Of the language.
  true: all("any", () => true),
  false: all("any", () => false),
  nil: all("any", () => null),
  not: all("any", (value) => !isTrue(value)),
  eq: all(
    "any",
    (a, b, ...others) => [b, ...others].some((one) => equal(a, one)),
    Infinity,
  ),
  ne: all("any", (a, b) => !equal(a, b)),
  lt: all("any", (a, b) => compare(a, b) < 0),
  le: all("any", (a, b) => compare(a, b) <= 0),
  gt: all("any", (a, b) => compare(a, b) > 0),
  ge: all("any", (a, b) => compare(a, b) >= 0),
  index: all("any", (value, ...keys) => keys.reduce(atIndex, value), Infinity),
  len: all("any", measure),
  print: all("any", joinValues, Infinity),
  println: all("text", (...values) => `${values.join(" ")}\n`, Infinity),
  printf: all("any", print, Infinity),

  // Choices.
  default: all("any", (initial, value) => isTrue(value) ? value : initial),
  empty: all("any", (value) => !isTrue(value)),
  coalesce: all("any", (...all) => all.find(isTrue) ?? null, Infinity),
  ternary: all("any", ternary),
  required: fn(
    "string",
    "any",
    (message, value) => value === null || value === "" ? fail(message) : value,
  ),
  fail: all("string", fail),
  kindIs: fn("string", "any", (kind, value) => findKind(value) === kind),

  // Numbers.
  int: all("number", (value) => value),
  add: all("number", (...all) => all.reduce((a, b) => a + b, 0), Infinity),
  sub: all("number", (a, b) => a - b),
  mul: all("number", (...all) => all.reduce((a, b) => a * b, 1), Infinity),
  div: all("number", (a, b) => Math.trunc(a / divisor(b))),
  mod: all("number", (a, b) => a % divisor(b)),

  // Texts.
  quote: all("any", (...all) => joinQuoted(all, JSON.stringify), Infinity),
  squote: all(
    "any",
    (...all) => joinQuoted(all, (one) => `'${one}'`),
    Infinity,
  ),
  toString: all("text", (text) => text),
  upper: all("string", (text) => text.toUpperCase()),
  lower: all("string", (text) => text.toLowerCase()),
  trim: all("string", (text) => text.trim()),
  trimAll: all("string", trimAll),
  trimPrefix: all(
    "string",
    (start, text) => text.startsWith(start) ? text.slice(start.length) : text,
  ),
  trimSuffix: all(
    "string",
    (end, text) =>
      text.endsWith(end) ? text.slice(0, text.length - end.length) : text,
  ),
  replace: all("string", (from, to, text) => text.replaceAll(from, () => to)),
  contains: all("string", (part, text) => text.includes(part)),
  hasPrefix: all("string", (part, text) => text.startsWith(part)),
  hasSuffix: all("string", (part, text) => text.endsWith(part)),
  indent: fn("int", "string", indent),
  nindent: fn("int", "string", (count, text) => `\n${indent(count, text)}`),
  join: fn(
    "string",
    "any",
    (separator, value) =>
      (isList(value) ? value : [value]).filter((one) => one !== null)
        .map((one) => formatValue(one)).join(separator),
  ),
  splitList: all("string", (separator, text) => text.split(separator)),
  regexMatch: all("string", (pattern, text) => toPattern(pattern).test(text)),
  regexReplaceAll: all("string", replaceAll),

  // Lists and mappings.
  list: all("any", (...values) => values, Infinity),
  first: all("list", ([first = null]) => first),
  last: all("list", (list) => list.at(-1) ?? null),
  append: fn("list", "any", (list, value) => [...list, value]),
  has: fn(
    "any",
    "list",
    (value, list) => list.some((one) => toYaml(one) === toYaml(value)),
  ),
  until: all("int", until),
  dict: all("any", dict, Infinity),
  get: fn("map", "string", (map, key) => map.get(key) ?? ""),
  hasKey: fn("map", "string", (map, key) => map.has(key)),
  keys: all("map", (map) => sortedEntries(map).map(([key]) => key)),
  dig: all("any", dig, Infinity),

  // Formats.
  toYaml: all("any", toYaml),
  fromYaml: all("string", fromYaml),
  toJson: all("any", encodeJson),
  fromJson: all("string", decodeJson),
  b64enc: all("string", (text) => new TextEncoder().encode(text).toBase64()),
  b64dec: all("string", decodeBase64),
};

/** Compares as Go does: values of different kinds are an error. */
function compare(a: GoValue, b: GoValue): number {
  const kinds = [a, b].map(findKind);
  const isBasic = kinds.every((kind) => /^(string|int|float64)$/.test(kind));
  if (kinds[0] !== kinds[1] || !isBasic) {
    fail(`${kinds[0]} and ${kinds[1]} cannot be compared`);
  }
  const [left, right] = [a, b].map((one) =>
    one instanceof GoFloat ? one.value : one as string | number
  );
  return left! < right! ? -1 : left! > right! ? 1 : 0;
}

function equal(a: GoValue, b: GoValue): boolean {
  const isBoth = typeof a === "boolean" && typeof b === "boolean";
  return a === null || b === null || isBoth ? a === b : compare(a, b) === 0;
}

function atIndex(value: GoValue, key: GoValue): GoValue {
  if (value instanceof Map) return value.get(formatValue(key)) ?? null;
  if (!isList(value) || typeof key !== "number") {
    return fail(
      `a value of kind ${findKind(value)} has no index ${formatValue(key)}`,
    );
  }
  if (key >= 0 && key < value.length) return value[key] ?? null;
  return fail(`index ${key} is out of range`);
}

function measure(value: GoValue): number {
  if (value instanceof Map) return value.size;
  if (isList(value)) return value.length;
  if (typeof value === "string") return new TextEncoder().encode(value).length;
  return fail(`a value of kind ${findKind(value)} has no length`);
}

function fail(message: string): never {
  throw new FunctionProblem(message);
}

function ternary(yes: GoValue, no: GoValue, value: GoValue): GoValue {
  if (typeof value === "boolean") return value ? yes : no;
  return fail(`it needs a boolean at the end, not ${findKind(value)}`);
}

function trimAll(set: string, text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && set.includes(text[from]!)) from++;
  while (to > from && set.includes(text[to - 1]!)) to--;
  return text.slice(from, to);
}

function divisor(value: number): number {
  if (value !== 0) return value;
  return fail("division by zero");
}

function bound(length: number, what: string): void {
  if (length > 1_000_000) fail(`the ${what} is too long`);
}

function joinQuoted(
  values: readonly GoValue[],
  quote: (text: string) => string,
): string {
  return values.filter((one) => one !== null)
    .map((one) => quote(formatValue(one))).join(" ");
}

function indent(count: number, text: string): string {
  bound(count, "text");
  const space = " ".repeat(count);
  return space + text.replaceAll("\n", `\n${space}`);
}

function toPattern(source: string, flags?: string): RegExp {
  const problem = `"${source}" is not a regular expression`;
  return attempt(problem, () => goPattern(source, flags));
}

function replaceAll(
  pattern: string,
  text: string,
  replacement: string,
): string {
  return text.replaceAll(toPattern(pattern, "gu"), (...found) => {
    const names = typeof found.at(-1) === "object" ? found.at(-1) : {};
    return replacement.replaceAll(
      /\$(?:(\$)|(\w+)|\{(\w+)\})/g,
      (_, dollar, plain, braced) => {
        const name: string = plain ?? braced;
        return dollar ?? (/^\d+$/.test(name) ? found[+name] : names[name]) ??
          "";
      },
    );
  });
}

function until(end: number): readonly number[] {
  bound(end, "list");
  return Array.from({ length: Math.max(0, end) }, (_, index) => index);
}

function dict(...args: readonly GoValue[]): GoValue {
  return new Map(
    args.flatMap((key, index) =>
      index % 2 === 0 ? [[formatValue(key), args[index + 1] ?? ""]] : []
    ),
  );
}

/** `dig "a" "b" initial mapping`. */
function dig(...args: readonly GoValue[]): GoValue {
  const [initial = null, root = null] = args.slice(-2);
  let value: GoValue = root;
  for (const key of args.slice(0, -2)) {
    if (!(value instanceof Map) || !value.has(formatValue(key))) return initial;
    value = value.get(formatValue(key)) ?? null;
  }
  return value;
}

function toYaml(value: GoValue): string {
  // Old words such as `off` are quoted.
  return stringify(toJson(value), {
    version: "1.1",
    lineWidth: 0,
    indentSeq: false,
    aliasDuplicateObjects: false,
  }).trimEnd();
}

function fromYaml(text: string): GoValue {
  const { documents: [document] } = attempt(
    "it is not YAML",
    () => readDocuments(text, "text"),
  );
  return document === undefined ? new Map() : fromNode(document.root);
}

function encodeJson(value: GoValue): string {
  // Go escapes these for HTML.
  return JSON.stringify(toJson(value)).replaceAll(
    /[<>&]/g,
    (one) => `\\u00${one.charCodeAt(0).toString(16)}`,
  );
}

function decodeBase64(text: string): string {
  return attempt(
    "it is not base64",
    () => new TextDecoder().decode(Uint8Array.fromBase64(text)),
  );
}

function decodeJson(text: string): GoValue {
  return fromJson(attempt("it is not JSON", (): Json => JSON.parse(text)));
}

/** Runs a parser of a text, and says what is wrong with the text. */
function attempt<Result>(problem: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ConfigError) throw new FunctionProblem(error.message);
    if (!(error instanceof SyntaxError)) throw error;
    throw new FunctionProblem(problem);
  }
}
