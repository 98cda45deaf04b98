import { ConfigError } from "../../errors.ts";
import type { Place } from "../tree/node.ts";

/** A problem, or something that is probably not meant. */
export interface Problem {
  /** Warnings do not make a configuration invalid. */
  readonly level: "error" | "warning";
  /** Keys and indices from the root: `machine.network.interfaces[0].mtu`; empty for the document. */
  readonly path: string;
  /** What is wrong, upper case first, no period; names the value. */
  readonly message: string;
  readonly hint?: string;
  /** Where it is; absent in what the program made. */
  readonly at?: Place;
}

/** Writes a path as messages show it. */
export function pathText(path: readonly (string | number)[]): string {
  return path.map((step, index) => {
    if (typeof step === "number") return `[${step}]`;
    const safe = /^[A-Za-z0-9_/-]+$/.test(step) ? step : JSON.stringify(step);
    return index === 0 ? safe : `.${safe}`;
  }).join("");
}

/**
 * Makes a text fit for one line: what lies in the middle of very long ones is omitted, and control
 * characters are spaces.
 */
export function inOneLine(text: string): string {
  const short = text.length > longest
    ? `${text.slice(0, longest / 2)}…${text.slice(-longest / 4)}`
    : text;
  // deno-lint-ignore no-control-regex
  return short.replace(/[\x00-\x1f\x7f-\x9f]+/g, " ");
}

const longest = 1000;

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

/** Makes the error that names at least one problem. */
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
