/** Describes YAML that cannot be parsed. */

import { parseEvents } from "js-yaml";
import type { ConfigError } from "../../errors.ts";
import { longText } from "../../interrupts.ts";
import { misread, type Position } from "../../lib/text/text_position.ts";

/** Details of a `YAMLException`. */
interface Fault {
  readonly reason: string;
  readonly mark: {
    readonly position: number;
    readonly line: number;
    readonly column: number;
  };
}

/**
 * Converts an error of the parser, with the place of an unclosed bracket or quote instead of the end that it lacks.
 *
 * @throws The error itself if it is none of the parser.
 */
export function syntaxError(
  error: unknown,
  { text, file }: { readonly text: string; readonly file: string },
): ConfigError {
  const { reason, mark } = error as Partial<Fault>;
  if (reason === undefined || mark === undefined) throw error;
  const open = reason === "deficient indentation" ||
      reason.startsWith("unexpected end")
    ? findUnclosed(text, mark.position)
    : undefined;
  if (open !== undefined) {
    return misread(
      file,
      toPosition(text, open),
      `${text[open]} is not closed`,
    );
  }
  const at = { line: mark.line + 1, column: mark.column + 1 };
  return misread(file, at, reason, hintFor(reason));
}

/** Largest number of brackets and quotes to try: each takes two parses. */
const mostTries = 100;

/** Position of the outermost bracket or quote that is open at the end of a text. */
function findUnclosed(text: string, end: number): number | undefined {
  if (end > longText) return undefined;
  const openers = [...text.slice(0, end).matchAll(/[[{"']/g)].slice(-mostTries);
  return openers.map(({ index }) => index).findLast((at) =>
    // A value may stand there, so it is no text in quotes, a comment or a block.
    isYaml(`${text.slice(0, at)}x`) && !isYaml(text.slice(0, at + 1))
  );
}

function isYaml(text: string): boolean {
  try {
    parseEvents(text, {});
    return true;
  } catch {
    return false;
  }
}

function toPosition(text: string, at: number): Position {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function hintFor(reason: string): string | undefined {
  if (reason.includes("tab")) return "Indent with spaces";
  return reason === "bad indentation of a mapping entry"
    ? "Align the keys, and quote values with a colon or with @, % or ` in front"
    : undefined;
}
