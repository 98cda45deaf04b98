import type { Macros } from "./macros.ts";
import { ExpressionError } from "./syntax.ts";
import type { Token } from "./tokens.ts";

/** Syntax of an environment beyond the standard. */
export interface Dialect {
  /** True to parse `.?`, `[?` and optional elements. */
  readonly optionals: boolean;
  readonly macros: Macros;
}

/** Position of the parser. */
export interface TokenReader extends Dialect {
  readonly tokens: readonly Token[];
  next: number;
  /** Depth of enclosing expressions. */
  depth: number;
}

/** Consumes an optional mark, if it is next. Throws `ExpressionError` if the environment has no optional values. */
export function acceptOptional(reader: TokenReader): boolean {
  const mark = accept(reader, "?");
  if (mark !== undefined && !reader.optionals) {
    const message = 'Optional values ("?") are not supported here';
    throw new ExpressionError(message, mark.offset);
  }
  return mark !== undefined;
}

/** Returns a token without consuming it, or the end token. */
export function peek({ tokens, next }: TokenReader, ahead = 0): Token {
  // The last token is the end, and is never consumed.
  return tokens[next + ahead] ?? tokens[tokens.length - 1]!;
}

/** Reports whether a token is a given operator, bracket or other mark. */
export function isMark({ kind, text }: Token, mark: string): boolean {
  return kind === "mark" && text === mark;
}

/** Consumes a mark, if it is next. */
export function accept(reader: TokenReader, mark: string): Token | undefined {
  const token = peek(reader);
  if (!isMark(token, mark)) return undefined;
  reader.next++;
  return token;
}

/** Consumes a required mark. Throws `ExpressionError` if another token is next. */
export function expect(reader: TokenReader, mark: string): Token {
  const token = accept(reader, mark);
  if (token === undefined) throw surprise(reader, mark);
  return token;
}

/** Error for an unexpected next token; `expected` is the only valid one, if any. */
export function surprise(
  reader: TokenReader,
  expected?: string,
): ExpressionError {
  return unexpectedToken(reader.tokens, reader.next, expected);
}

/** Keywords of other languages, and their CEL equivalents. */
const foreign: Readonly<Record<string, string>> = {
  and: 'Write "&&" for and',
  or: 'Write "||" for or',
  not: 'Write "!" for not',
  AND: 'Write "&&" for and',
  OR: 'Write "||" for or',
  NOT: 'Write "!" for not',
};

/**
 * Error for an unexpected token.
 *
 * @param expected The only valid token, if there is one.
 */
export function unexpectedToken(
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
