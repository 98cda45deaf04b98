/** Words for tokens that stand where they do not belong. */

import { ExpressionMistake } from "./mistake.ts";
import type { Token } from "./tokens.ts";

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
 * Says that a token does not belong where it stands.
 *
 * @param expected What would have been right, if only one thing is.
 */
export function unexpected(
  tokens: readonly Token[],
  index: number,
  expected?: string,
): ExpressionMistake {
  const token = tokens[index];
  const before = tokens[index - 1];
  if (token === undefined || token.kind === "end") {
    const hint = expected === undefined
      ? "A value is missing at its end"
      : `"${expected}" is missing at its end`;
    return new ExpressionMistake(
      "Expression ends too early",
      token?.offset ?? 0,
      hint,
    );
  }
  const shown = token.kind === "quoted" ? `\`${token.text}\`` : token.text;
  return new ExpressionMistake(
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
    return "Put parentheses around the inner choice";
  }
  if (text === ")" && before?.text === ",") {
    return "Leave out the last comma";
  }
  if (before?.text === ".") return "A name is missing behind the dot";
  if (kind === "mark" && /^([<>]=?|[=!]=|[*/%+]|&&|\|\||in)$/.test(text)) {
    return `A value is missing before "${text}"`;
  }
  return expected === undefined ? undefined : `"${expected}" is missing here`;
}

function isNumber({ kind }: Token): boolean {
  return kind === "int" || kind === "uint" || kind === "double";
}
