import { placeText } from "../../../config/documents/problem.ts";
import { ConfigError } from "../../../errors.ts";
import type { SourcePosition } from "../runbook.ts";

/** One problem. */
export interface SourceProblem {
  readonly place: SourcePosition;
  /** What is wrong, upper case first, no period; names the value. */
  readonly message: string;
  readonly hint?: string;
  /** Where the first one is, when there may be only one; its line is to follow the message. */
  readonly first?: SourcePosition;
}

/** A program that makes no runbook. */
export class ProgramError extends ConfigError {
  /** Where it fails; `undefined` when that is unknown. */
  readonly at: Omit<SourcePosition, "file"> | undefined;
  readonly fault: string;

  /** Makes the error. `name`: path as it was typed; `fault`: why it makes none. */
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

/** A runbook that cannot be used. */
export class RunbookError extends ConfigError {
  override readonly name = "RunbookError";
  /** Everything that is wrong, in the order of the files; not empty. */
  readonly problems: readonly SourceProblem[];

  /** Makes the error. `problems`: what is wrong, in any order; not empty. */
  constructor(source: string, problems: readonly SourceProblem[]) {
    super(sourceProblemsText(`Cannot use runbook "${source}":`, problems));
    this.problems = inOrder(problems);
  }
}

/** Writes a problem in one line: `a.yaml:3:5: what is wrong (what would be right)`. */
export function sourceProblemText(
  { place, message, hint }: SourceProblem,
): string {
  const right = hint === undefined ? "" : ` (${hint})`;
  return `${placeText({ at: place })}${message}${right}`;
}

/**
 * Writes problems for people, each in a line; one alone is beside the head.
 *
 * @param problems What is wrong, in any order; not empty.
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

/** Files in the order they were found in, each from top to bottom; the same problem once. */
function inOrder(problems: readonly SourceProblem[]): readonly SourceProblem[] {
  const files = [...new Set(problems.map(({ place }) => place.file))];
  const once = new Map(problems.map((one) => [sourceProblemText(one), one]));
  return [...once.values()].sort((a, b) =>
    files.indexOf(a.place.file) - files.indexOf(b.place.file) ||
    a.place.line - b.place.line || a.place.column - b.place.column
  );
}
