/** What is wrong with a runbook. */

import { placeText } from "../../../config/documents/problem.ts";
import { ConfigError } from "../../../errors.ts";
import type { SourcePosition } from "../runbook.ts";

/** One mistake. */
export interface Mistake {
  /** Where it is. */
  readonly place: SourcePosition;
  /** What is wrong, upper case first, no period; names the value. */
  readonly message: string;
  /** What would be right. */
  readonly hint?: string;
}

/** A runbook that cannot be used. */
export class RunbookError extends ConfigError {
  /** Class name, for stacks. */
  override readonly name = "RunbookError";
  /** Everything that is wrong, in the order of the files; not empty. */
  readonly mistakes: readonly Mistake[];

  /** Makes the error. `mistakes`: what is wrong, in any order; not empty. */
  constructor(source: string, mistakes: readonly Mistake[]) {
    super(mistakesText(`Cannot use runbook "${source}":`, mistakes));
    this.mistakes = inOrder(mistakes);
  }
}

/** Writes a mistake in one line: `a.yaml:3:5: what is wrong (what would be right)`. */
export function mistakeText({ place, message, hint }: Mistake): string {
  const right = hint === undefined ? "" : ` (${hint})`;
  return `${placeText({ at: place })}${message}${right}`;
}

/**
 * Writes mistakes for people, each in a line; one alone stands beside the head.
 *
 * @param mistakes What is wrong, in any order; not empty.
 */
export function mistakesText(
  head: string,
  mistakes: readonly Mistake[],
): string {
  const sorted = inOrder(mistakes);
  const shown = sorted.slice(0, mostShown).map(mistakeText);
  const more = sorted.length - shown.length;
  if (more > 0) shown.push(`and ${more} more`);
  return shown.length === 1
    ? `${head} ${shown[0]}`
    : `${head}\n${shown.map((line) => `  ${line}`).join("\n")}`;
}

const mostShown = 100;

/** Files in the order they were found in, each from top to bottom; the same mistake once. */
function inOrder(mistakes: readonly Mistake[]): readonly Mistake[] {
  const files = [...new Set(mistakes.map(({ place }) => place.file))];
  const once = new Map(mistakes.map((one) => [mistakeText(one), one]));
  return [...once.values()].sort((a, b) =>
    files.indexOf(a.place.file) - files.indexOf(b.place.file) ||
    a.place.line - b.place.line || a.place.column - b.place.column
  );
}
