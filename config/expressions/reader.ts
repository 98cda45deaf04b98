/** Going through the tokens of an expression. */

import type { Macros } from "./macros.ts";
import { ExpressionMistake } from "./mistake.ts";
import type { Token } from "./tokens.ts";
import { unexpected } from "./unexpected.ts";

/** What a place that reads expressions understands beyond the standard. */
export interface Dialect {
  /** Whether `.?`, `[?` and optional elements are read. */
  readonly optionals: boolean;
  /** Calls that are rewritten. */
  readonly macros: Macros;
}

/** How far an expression is read. */
export interface Reader extends Dialect {
  /** The expression, in tokens. */
  readonly tokens: readonly Token[];
  /** Index of the token that comes next. */
  next: number;
  /** Expressions around the present one. */
  depth: number;
}

/**
 * Takes the mark of an optional value, if it comes next. Throws `ExpressionMistake` if it does and
 * nothing is optional here.
 */
export function acceptOptional(reader: Reader): boolean {
  const mark = accept(reader, "?");
  if (mark !== undefined && !reader.optionals) {
    const message = 'Optional values ("?") are not known here';
    throw new ExpressionMistake(message, mark.offset);
  }
  return mark !== undefined;
}

/** Looks at a token without taking it. Returns the end, behind the last. */
export function peek({ tokens, next }: Reader, ahead = 0): Token {
  // The last token is the end, and nothing goes past it.
  return tokens[next + ahead] ?? tokens[tokens.length - 1]!;
}

/** Tells whether a token is a certain operator, bracket or other sign. */
export function isMark({ kind, text }: Token, mark: string): boolean {
  return kind === "mark" && text === mark;
}

/** Takes a mark, if it comes next. */
export function accept(reader: Reader, mark: string): Token | undefined {
  const token = peek(reader);
  if (!isMark(token, mark)) return undefined;
  reader.next++;
  return token;
}

/** Takes a mark that has to come next. Throws `ExpressionMistake` if something else does. */
export function expect(reader: Reader, mark: string): Token {
  const token = accept(reader, mark);
  if (token === undefined) throw surprise(reader, mark);
  return token;
}

/** Says that the next token does not belong there. `expected`: what would be right, if only one thing is. */
export function surprise(reader: Reader, expected?: string): ExpressionMistake {
  return unexpected(reader.tokens, reader.next, expected);
}
