import { ConfigError } from "../../errors.ts";
import type { Place } from "../tree/node.ts";

/** An error, or a warning about a probable mistake. */
export interface Problem {
  /** Warnings do not invalidate a configuration. */
  readonly level: "error" | "warning";
  /** Keys and indices from the root: `machine.network.interfaces[0].mtu`; empty for the document. */
  readonly path: string;
  /** Message, upper case first, no period; quotes the value. */
  readonly message: string;
  readonly hint?: string;
  /** Position; absent in generated documents. */
  readonly at?: Place;
}

/** Formats a path for messages. */
export function pathText(path: readonly (string | number)[]): string {
  return path.map((step, index) => {
    if (typeof step === "number") return `[${step}]`;
    const safe = /^[A-Za-z0-9_/-]+$/.test(step) ? step : JSON.stringify(step);
    return index === 0 ? safe : `.${safe}`;
  }).join("");
}

/** Formats a text as one line: the middle of very long ones is omitted, and control characters become spaces. */
export function inOneLine(text: string): string {
  const short = text.length > longest
    ? `${text.slice(0, longest / 2)}…${text.slice(-longest / 4)}`
    : text;
  // deno-lint-ignore no-control-regex
  return short.replace(/[\x00-\x1f\x7f-\x9f]+/g, " ");
}

const longest = 1000;

/** Formats a problem in one line: position, path, error, suggested fix. */
export function problemText(problem: Problem): string {
  return placeText(problem) + faultText(problem);
}

/** Position of a problem, `file:line:column: `; empty if unknown. */
export function placeText({ at }: Pick<Problem, "at">): string {
  return at === undefined ? "" : `${at.file}:${at.line}:${at.column}: `;
}

/** Formats a problem without its position: path, error, suggested fix. */
export function faultText(
  { path, message, hint }: Pick<Problem, "path" | "message" | "hint">,
): string {
  const where = path === "" ? "" : `${path}: `;
  const right = hint === undefined ? "" : ` (${hint})`;
  return `${where}${message}${right}`;
}

/**
 * Throws if there is an error among the problems.
 *
 * @param subject The invalid input: `patch "p.yaml"`.
 * @param problems Problems; warnings are ignored.
 * @throws {ConfigError} With every error.
 */
export function refuse(subject: string, problems: readonly Problem[]): void {
  const errors = problems.filter(({ level }) => level === "error");
  if (errors.length > 0) throw new DocumentsError(subject, errors);
}

/** The only problem of a subject that is no file, such as `patch "patch 1"`, whose name needs no repetition. */
function placeInSubject(
  subject: string,
  [problem, ...others]: readonly Problem[],
): string | undefined {
  const { at } = problem ?? {};
  const isNamed = at !== undefined && at.file.includes(" ") &&
    subject.endsWith(`"${at.file}"`);
  return problem === undefined || !isNamed || others.length > 0
    ? undefined
    : ` at line ${at.line}, column ${at.column}: ${faultText(problem)}`;
}

/** Invalid documents. */
export class DocumentsError extends ConfigError {
  /** All problems; not empty. */
  readonly problems: readonly Problem[];

  /** Makes the error. `problems`: not empty. */
  constructor(subject: string, problems: readonly Problem[]) {
    const lines = problems.map(problemText);
    const text = lines.length === 1
      ? ` ${lines[0]}`
      : `\n${lines.map((line) => `  ${line}`).join("\n")}`;
    super(
      `Cannot use ${subject}${placeInSubject(subject, problems) ?? `:${text}`}`,
    );
    this.problems = problems;
  }
}
