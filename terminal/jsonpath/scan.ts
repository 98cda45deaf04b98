/** Scanner for JSONPath templates. */

/** An invalid template. */
export class JsonPathProblem extends Error {
  /** Creates the error. `at`: position in the template, in characters from 1. */
  constructor(at: number, expected: string) {
    super(`expected ${expected} at character ${at}`);
  }
}

/** A template and the current position. */
export interface Scanner {
  readonly source: string;
  /** Position of the next character. */
  at: number;
  /** Depth of enclosing filters, default none. */
  filters?: number;
}

const spaces = /\s*/y;
const single = /'(?:\\[^]|[^'\\])*'/y;
const double = /"(?:\\[^]|[^"\\])*"/y;

/** Skips white space. */
export function skipSpaces(scanner: Scanner): void {
  match(scanner, spaces);
}

/**
 * Consumes the match of a pattern.
 *
 * @param pattern A sticky pattern.
 * @returns The text, or `undefined` if it does not match here.
 */
export function match(scanner: Scanner, pattern: RegExp): string | undefined {
  pattern.lastIndex = scanner.at;
  const found = pattern.exec(scanner.source)?.[0];
  scanner.at += found?.length ?? 0;
  return found;
}

/** Reports whether a text is next. */
export function at(scanner: Scanner, text: string): boolean {
  return scanner.source.startsWith(text, scanner.at);
}

/** Consumes a text if it is next. */
export function accept(scanner: Scanner, text: string): boolean {
  if (!at(scanner, text)) return false;
  scanner.at += text.length;
  return true;
}

/**
 * Consumes a quoted text. Returns the content with its escapes; `undefined` if no quote is next.
 * Throws `JsonPathProblem` if the closing quote is missing.
 */
export function readQuoted(scanner: Scanner): string | undefined {
  const quoted = at(scanner, "'") || at(scanner, '"');
  if (!quoted) return undefined;
  const found = match(scanner, at(scanner, "'") ? single : double);
  return found?.slice(1, -1) ?? expectedError(scanner, "a closing quote");
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
};

/** Resolves escapes: `\ `, `\\t`, `\\r`, `\\uXXXX`; a backslash before any other character is dropped. */
export function unescape(text: string): string {
  return text.replace(
    /\\(?:u([\da-fA-F]{4})|([^]))/g,
    (_, code: string | undefined, letter: string) =>
      code === undefined
        ? escapes[letter] ?? letter
        : String.fromCharCode(parseInt(code, 16)),
  );
}

/** Fails at the current position. Throws `JsonPathProblem`: always. */
export function expectedError(scanner: Scanner, what: string): never {
  throw new JsonPathProblem(scanner.at + 1, what);
}
