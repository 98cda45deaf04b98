/** Problems of documents as an error for the user. */

import { ConfigError } from "../../errors.ts";
import type { Problem } from "./problem.ts";

/** Writes a problem in one line: place, path, what is wrong, what would be right. */
export function problemText(problem: Problem): string {
  return placeText(problem) + faultText(problem);
}

/** Where a problem is, `file:line:column: `; empty when that is not known. */
export function placeText({ at }: Pick<Problem, "at">): string {
  return at === undefined ? "" : `${at.file}:${at.line}:${at.column}: `;
}

/** What a problem is: path, what is wrong, what would be right. */
export function faultText(
  { path, message, hint }: Pick<Problem, "path" | "message" | "hint">,
): string {
  const where = path === "" ? "" : `${path}: `;
  const right = hint === undefined ? "" : ` (${hint})`;
  return `${where}${message}${right}`;
}

/**
 * Ends with an error if there is one among the problems.
 *
 * @param subject What cannot be used: `patch "p.yaml"`.
 * @param problems What was found; warnings do not count.
 * @throws {ConfigError} Naming every error.
 */
export function refuse(subject: string, problems: readonly Problem[]): void {
  const errors = problems.filter(({ level }) => level === "error");
  if (errors.length > 0) throw refusal(subject, errors);
}

/** Makes the error that names problems. `problems`: at least one. */
export function refusal(
  subject: string,
  problems: readonly Problem[],
): ConfigError {
  const lines = problems.map(problemText);
  const text = lines.length === 1
    ? ` ${lines[0]}`
    : `\n${lines.map((line) => `  ${line}`).join("\n")}`;
  return new ConfigError(`Cannot use ${subject}:${text}`);
}
