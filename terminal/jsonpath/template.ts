/** Kubernetes JSONPath templates. */

import { OsctlError, UsageError } from "../../errors.ts";
import { sortKeys } from "../../lib/json.ts";
import { writeExactly } from "../bigint_json.ts";
import { readPath } from "./path.ts";
import {
  accept,
  expectedError,
  JsonPathProblem,
  readQuoted,
  type Scanner,
  skipSpaces,
  unescape,
} from "./scan.ts";
import type { Piece } from "./syntax.ts";
import {
  count,
  NotFound,
  startIn,
  TooMany,
  type ValueAt,
  valuesAt,
} from "./values.ts";

const deepest = 50;

const textPerValue = 64;

/**
 * Parses a template.
 *
 * @param source Text with paths in braces; without braces it is one path with an optional leading dot.
 * @throws {JsonPathProblem} With the position and the expected text.
 */
export function parseTemplate(source: string): readonly Piece[] {
  const scanner: Scanner = { source, at: 0 };
  if (source.includes("{")) return readParts(scanner, 0);
  const path = readPath(scanner);
  if (scanner.at < source.length) expectedError(scanner, "the end");
  return [path];
}

/**
 * Compiles the template of `-o jsonpath=`.
 *
 * A template of paths only prints each value on its own line. A template with texts or ranges is printed as written,
 * with spaces between several values of one path, and ends with a line end.
 *
 * @returns Formats one row, with its line ends.
 * @throws {UsageError} If the template is invalid. The returned function throws `OsctlError` if a row lacks a value.
 */
export function compileTemplate(template: string): (row: unknown) => string {
  const parts = attempt(
    () => parseTemplate(template),
    (why) => new UsageError(`Invalid value "${template}" for jsonpath: ${why}`),
  );
  const bare = parts.every(({ kind }) => kind === "path");
  return (row) => {
    const place = startIn(row, true);
    const texts = attempt(
      () => parts.flatMap((part) => writePart(part, place, bare ? "\n" : " ")),
      (why) => new OsctlError(`Cannot evaluate jsonpath "${template}": ${why}`),
    );
    if (bare) return texts.map((text) => `${text}\n`).join("");
    const text = texts.join("");
    return text.endsWith("\n") ? text : `${text}\n`;
  };
}

/**
 * Compiles the path of a print column. Returns all values, including texts of the template; missing
 * keys yield none. Throws `JsonPathProblem` if the template is invalid.
 */
export function compileColumn(
  template: string,
): (value: unknown) => readonly unknown[] {
  const parts = parseTemplate(template);
  return (value) => {
    const place = startIn(value, false);
    return parts.flatMap((part) => matchPart(part, place));
  };
}

/** Compiles the path of a print column to its text; a path that is invalid or matches far too much hides no resource. */
export function compilePrintColumn(
  template: string,
): (value: unknown) => string {
  const column = orNothing(() => compileColumn(template), () => []);
  return (value) =>
    orNothing(() => column(value), []).map(formatCell).join(" ");
}

function orNothing<T>(attempt: () => T, nothing: T): T {
  try {
    return attempt();
  } catch (error) {
    const known = error instanceof JsonPathProblem || error instanceof TooMany;
    if (known) return nothing;
    throw error;
  }
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const isPlain = Array.isArray(value) &&
    value.every((one) => typeof one !== "object");
  if (isPlain) return value.join(",");
  return typeof value === "object"
    ? JSON.stringify(sortKeys(value), writeExactly)
    : String(value);
}

function matchPart(part: Piece, place: ValueAt): readonly unknown[] {
  switch (part.kind) {
    case "text":
      return [part.text];
    case "path":
      return valuesAt(part, place);
    case "range":
      return valuesAt(part.path, place).flatMap((present) =>
        part.parts.flatMap((inner) => matchPart(inner, { ...place, present }))
      );
  }
}

function writePart(part: Piece, place: ValueAt, between: string): string[] {
  switch (part.kind) {
    case "text":
      return [part.text];
    case "path": {
      const values = valuesAt(part, place);
      const texts = values.map((value) => {
        const text = formatValue(value);
        count(place, text.length / textPerValue);
        return text;
      });
      return texts.length === 0 ? [] : [texts.join(between)];
    }
    case "range":
      return valuesAt(part.path, place).flatMap((present) =>
        part.parts.flatMap((inner) =>
          writePart(inner, { ...place, present }, between)
        )
      );
  }
}

function formatValue(value: unknown): string {
  return typeof value === "string"
    ? value
    : JSON.stringify(value, writeExactly, 4);
}

function attempt<T>(work: () => T, toError: (why: string) => Error): T {
  try {
    return work();
  } catch (error) {
    const known = error instanceof JsonPathProblem ||
      error instanceof NotFound || error instanceof TooMany;
    throw known ? toError(error.message) : error;
  }
}

function readParts(scanner: Scanner, depth: number): Piece[] {
  if (depth > deepest) expectedError(scanner, "less nesting");
  const parts: Piece[] = [];
  const { source } = scanner;
  while (scanner.at < source.length) {
    const open = source.indexOf("{", scanner.at);
    const text = source.slice(scanner.at, open < 0 ? undefined : open);
    if (text !== "") parts.push({ kind: "text", text });
    if (open < 0) break;
    scanner.at = open + 1;
    skipSpaces(scanner);
    if (keyword(scanner, "end")) {
      if (depth === 0) expectedError(scanner, "{range} before {end}");
      close(scanner);
      return parts;
    }
    parts.push(readAction(scanner, depth));
  }
  if (depth > 0) {
    scanner.at = source.length;
    expectedError(scanner, "{end}");
  }
  return parts;
}

function readAction(scanner: Scanner, depth: number): Piece {
  if (keyword(scanner, "range")) {
    skipSpaces(scanner);
    const path = readPath(scanner);
    close(scanner);
    return { kind: "range", path, parts: readParts(scanner, depth + 1) };
  }
  const text = readQuoted(scanner);
  const part: Piece = text === undefined
    ? readPath(scanner)
    : { kind: "text", text: unescape(text) };
  close(scanner);
  return part;
}

function close(scanner: Scanner): void {
  skipSpaces(scanner);
  if (!accept(scanner, "}")) expectedError(scanner, '"}"');
}

function keyword(scanner: Scanner, word: string): boolean {
  const next = scanner.source.charAt(scanner.at + word.length);
  return (next === "" || /[\s}]/.test(next)) && accept(scanner, word);
}
