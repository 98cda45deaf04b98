import type { Macros } from "./macros.ts";
import { ExpressionError } from "./syntax.ts";
import type { Token } from "./tokens.ts";

/** What a place that reads expressions understands beyond the standard. */
export interface Dialect {
  /** Whether `.?`, `[?` and optional elements are read. */
  readonly optionals: boolean;
  readonly macros: Macros;
}

/** How far an expression is read. */
export interface TokenReader extends Dialect {
  readonly tokens: readonly Token[];
  /** Index of the token that comes next. */
  next: number;
  /** Expressions around the present one. */
  depth: number;
}

/**
 * Takes the mark of an optional value, if it comes next. Throws `ExpressionError` if it does and
 * nothing is optional here.
 */
export function acceptOptional(reader: TokenReader): boolean {
  const mark = accept(reader, "?");
  if (mark !== undefined && !reader.optionals) {
    const message = 'Optional values ("?") are not supported here';
    throw new ExpressionError(message, mark.offset);
  }
  return mark !== undefined;
}

/** Looks at a token without taking it. Returns the end, behind the last. */
export function peek({ tokens, next }: TokenReader, ahead = 0): Token {
  // The last token is the end, and nothing goes past it.
  return tokens[next + ahead] ?? tokens[tokens.length - 1]!;
}

/** Reports whether a token is a certain operator, bracket or other sign. */
export function isMark({ kind, text }: Token, mark: string): boolean {
  return kind === "mark" && text === mark;
}

/** Takes a mark, if it comes next. */
export function accept(reader: TokenReader, mark: string): Token | undefined {
  const token = peek(reader);
  if (!isMark(token, mark)) return undefined;
  reader.next++;
  return token;
}

/** Takes a mark that has to come next. Throws `ExpressionError` if something else does. */
export function expect(reader: TokenReader, mark: string): Token {
  const token = accept(reader, mark);
  if (token === undefined) throw surprise(reader, mark);
  return token;
}

/** The next token does not belong there; `expected` would, if only one thing would. */
export function surprise(
  reader: TokenReader,
  expected?: string,
): ExpressionError {
  return unexpected(reader.tokens, reader.next, expected);
}

/** Words of other languages, and what they are here. */
const foreign: Readonly<Record<string, string>> = {
  and: 'Write "&&" for and',
  or: 'Write "||" for or',
  not: 'Write "!" for not',
  AND: 'Write "&&" for and',
  OR: 'Write "||" for or',
  NOT: 'Write "!" for not',
};

/**
 * Says that a token does not belong where it is.
 *
 * @param expected What would have been right, if only one thing is.
 */
export function unexpected(
  tokens: readonly Token[],
  index: number,
  expected?: string,
): ExpressionError {
  const token = tokens[index];
  const before = tokens[index - 1];
  if (token === undefined || token.kind === "end") {
    const hint = expected === undefined
      ? "A value is missing at its end"
      : `"${expected}" is missing at its end`;
    return new ExpressionError(
      "Expression is incomplete",
      token?.offset ?? 0,
      hint,
    );
  }
  const shown = token.kind === "quoted" ? `\`${token.text}\`` : token.text;
  return new ExpressionError(
    `Unexpected ${shown.startsWith('"') ? shown : `"${shown}"`}`,
    token.offset,
    hintFor(token, before, expected),
  );
}

function hintFor(
  { kind, text }: Token,
  before: Token | undefined,
  expected: string | undefined,
): string | undefined {
  if (Object.hasOwn(foreign, text)) return foreign[text];
  if (before !== undefined && Object.hasOwn(foreign, before.text)) {
    return foreign[before.text];
  }
  if (before !== undefined && kind === "name" && isNumber(before)) {
    const number = before.kind === "int" ? `${before.text}u` : before.text;
    return `Write ${number} * ${text}`;
  }
  if (text === "?" && expected === ":") {
    return "Put the inner conditional in parentheses";
  }
  if (text === ")" && before?.text === ",") {
    return "Remove the last comma";
  }
  if (before?.text === ".") return "A name is missing after the dot";
  if (kind === "mark" && /^([<>]=?|[=!]=|[*/%+]|&&|\|\||in)$/.test(text)) {
    return `A value is missing before "${text}"`;
  }
  return expected === undefined ? undefined : `"${expected}" is missing here`;
}

function isNumber({ kind }: Token): boolean {
  return kind === "int" || kind === "uint" || kind === "double";
}
