import { placeText } from "../../../config/documents/problem.ts";
import { ConfigError } from "../../../errors.ts";
import type { SourcePosition } from "../runbook.ts";

/** One problem. */
export interface SourceProblem {
  readonly place: SourcePosition;
  /** Error message with the value, upper case first, no period. */
  readonly message: string;
  readonly hint?: string;
  /** Place of the first definition, for duplicates; its line is appended to the message. */
  readonly first?: SourcePosition;
}

/** A program that does not make a runbook. */
export class ProgramError extends ConfigError {
  /** Place of the failure; `undefined` when unknown. */
  readonly at: Omit<SourcePosition, "file"> | undefined;
  readonly fault: string;

  /** Makes the error. `name`: path as typed; `fault`: why it makes none. */
  constructor(
    name: string,
    fault: string,
    { at, hint }: Partial<Pick<ProgramError, "at" | "hint">> = {},
  ) {
    super(
      `Cannot use "${name}": ${fault}`,
      hint === undefined ? {} : { hint },
    );
    this.at = at;
    this.fault = fault;
  }
}

/** An invalid runbook. */
export class RunbookError extends ConfigError {
  override readonly name = "RunbookError";
  /** All problems, in the order of the files; not empty. */
  readonly problems: readonly SourceProblem[];

  /** Makes the error. `problems`: in any order; not empty. */
  constructor(source: string, problems: readonly SourceProblem[]) {
    super(sourceProblemsText(`Cannot use runbook "${source}":`, problems));
    this.problems = inOrder(problems);
  }
}

/** Formats a problem on one line: `a.yaml:3:5: error (hint)`. */
export function sourceProblemText(
  { place, message, hint }: SourceProblem,
): string {
  const right = hint === undefined ? "" : ` (${hint})`;
  return `${placeText({ at: place })}${message}${right}`;
}

/**
 * Formats problems for display, one per line; a single problem is on the line of the heading.
 *
 * @param problems Problems, in any order; not empty.
 */
export function sourceProblemsText(
  head: string,
  problems: readonly SourceProblem[],
): string {
  const sorted = inOrder(problems);
  const shown = sorted.slice(0, mostShown).map(sourceProblemText);
  const more = sorted.length - shown.length;
  if (more > 0) shown.push(`and ${more} more`);
  return shown.length === 1
    ? `${head} ${shown[0]}`
    : `${head}\n${shown.map((line) => `  ${line}`).join("\n")}`;
}

const mostShown = 100;

/** Sorts problems by file in order of discovery, then by position; removes duplicates. */
function inOrder(problems: readonly SourceProblem[]): readonly SourceProblem[] {
  const files = [...new Set(problems.map(({ place }) => place.file))];
  const once = new Map(problems.map((one) => [sourceProblemText(one), one]));
  return [...once.values()].sort((a, b) =>
    files.indexOf(a.place.file) - files.indexOf(b.place.file) ||
    a.place.line - b.place.line || a.place.column - b.place.column
  );
}
