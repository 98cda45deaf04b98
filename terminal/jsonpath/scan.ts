/** Reads a JSONPath template piece by piece. */

/** A template that cannot be read. */
export class JsonPathProblem extends Error {
  /** Says where reading stopped. `at`: place in the template, counted in characters from 1. */
  constructor(at: number, expected: string) {
    super(`expected ${expected} at character ${at}`);
  }
}

/** A template and how much of it was read. */
export interface Scanner {
  readonly source: string;
  /** Place of the next character. */
  at: number;
  /** How many filters it is inside of, default none. */
  filters?: number;
}

const spaces = /\s*/y;
const single = /'(?:\\[^]|[^'\\])*'/y;
const double = /"(?:\\[^]|[^"\\])*"/y;

/** Passes over white space. */
export function skipSpaces(scanner: Scanner): void {
  match(scanner, spaces);
}

/**
 * Takes what a pattern matches.
 *
 * @param pattern A sticky pattern.
 * @returns The text, or `undefined` when it does not match here.
 */
export function match(scanner: Scanner, pattern: RegExp): string | undefined {
  pattern.lastIndex = scanner.at;
  const found = pattern.exec(scanner.source)?.[0];
  scanner.at += found?.length ?? 0;
  return found;
}

/** Reports whether a text comes next. */
export function at(scanner: Scanner, text: string): boolean {
  return scanner.source.startsWith(text, scanner.at);
}

/** Takes a text if it comes next. */
export function accept(scanner: Scanner, text: string): boolean {
  if (!at(scanner, text)) return false;
  scanner.at += text.length;
  return true;
}

/**
 * Takes a text in quotes of either kind. Returns what is between them, its escapes as they are;
 * `undefined` when no quote comes next. Throws `JsonPathProblem` when the closing quote is missing.
 */
export function readQuoted(scanner: Scanner): string | undefined {
  const quoted = at(scanner, "'") || at(scanner, '"');
  if (!quoted) return undefined;
  const found = match(scanner, at(scanner, "'") ? single : double);
  return found?.slice(1, -1) ?? expected(scanner, "a closing quote");
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
};

/** Resolves escapes: `\n`, `\t`, `\r`, `\uXXXX`; any other character after a backslash stands for itself. */
export function unescape(text: string): string {
  return text.replace(
    /\\(?:u([\da-fA-F]{4})|([^]))/g,
    (_, code: string | undefined, letter: string) =>
      code === undefined
        ? escapes[letter] ?? letter
        : String.fromCharCode(parseInt(code, 16)),
  );
}

/** Gives up at the present place. Throws `JsonPathProblem`: always. */
export function expected(scanner: Scanner, what: string): never {
  throw new JsonPathProblem(scanner.at + 1, what);
}
