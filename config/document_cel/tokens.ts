/** Expression tokenizer, as on a node. */

import { ExpressionError, type LiteralType } from "./syntax.ts";

const longest = 100_000;

/** A token. */
export interface Token {
  /** Kind; `mark` is an operator, a bracket or another sign, `end` follows the last token. */
  readonly kind: LiteralType | "name" | "quoted" | "mark" | "end";
  /** As written; without back quotes if `quoted`. */
  readonly text: string;
  /** Position in UTF-16 units. */
  readonly offset: number;
}

const escape = String
  .raw`\\(?:[abfnrtv"'\\?${"`"}]|[0-3][0-7]{2}|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})`;

const string = [
  String.raw`[rR]"""[^]*?"""`,
  String.raw`[rR]'''[^]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
  String.raw`"""(?:${escape}|[^\\])*?"""`,
  String.raw`'''(?:${escape}|[^\\])*?'''`,
  String.raw`"(?:${escape}|[^\\"\n\r])*"`,
  String.raw`'(?:${escape}|[^\\'\n\r])*'`,
].join("|");

/** Order matters: the first match wins, and must be the longest. */
const lexicon = new RegExp(
  [
    String.raw`(?<blank>[\t\n\f\r ]+|\/\/[^\n]*)`,
    String.raw`(?<bytes>[bB](?:${string}))`,
    String.raw`(?<string>${string})`,
    String.raw`(?<uint>(?:0x[\da-fA-F]+|\d+)[uU])`,
    String
      .raw`(?<double>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)`,
    String.raw`(?<int>0x[\da-fA-F]+|\d+)`,
    String.raw`(?<name>[A-Za-z_]\w*)`,
    "`(?<quoted>[\\w./ -]+)`",
    String.raw`(?<mark>[=!<>]=|&&|\|\||[-+*\/%<>!?:.,()[\]{}])`,
  ].join("|"),
  "y",
);

/** Keywords that are values or operators, not names. */
const words: Readonly<Record<string, Token["kind"]>> = {
  true: "bool",
  false: "bool",
  null: "null",
  in: "mark",
};

/**
 * Splits an expression into tokens. Returns at least the token `end`; white space and comments are omitted.
 * Throws `ExpressionError` for invalid characters and for values out of range.
 */
export function tokenize(text: string): readonly Token[] {
  const length = text.length > longest ? [...text].length : 0;
  if (length > longest) {
    const message =
      `Expression has ${length} characters, the limit is ${longest}`;
    throw new ExpressionError(message, 0);
  }
  const tokens: Token[] = [];
  let offset = 0;
  while (offset < text.length) {
    lexicon.lastIndex = offset;
    const found = lexicon.exec(text);
    if (found === null) throw stray(text, offset);
    const token = toToken(found.groups ?? {}, offset);
    if (token !== undefined) tokens.push(token);
    offset += found[0].length;
  }
  return [...tokens, { kind: "end", text: "", offset }];
}

function toToken(
  groups: Readonly<Record<string, string | undefined>>,
  offset: number,
): Token | undefined {
  for (const kind of kinds) {
    const text = groups[kind];
    if (text === undefined) continue;
    const token = {
      kind: kind === "name" && Object.hasOwn(words, text)
        ? words[text] ?? kind
        : kind,
      text,
      offset,
    };
    checkEscapes(token);
    return token;
  }
  return undefined;
}

const kinds = [
  "name",
  "mark",
  "string",
  "int",
  "uint",
  "double",
  "bytes",
  "quoted",
] as const;

/** Rejects escapes with valid syntax that represent no character. */
function checkEscapes({ kind, text, offset }: Token): void {
  if (kind !== "string" && kind !== "bytes" || !text.includes("\\")) return;
  if (/^[bB]?[rR]/.test(text)) return;
  for (const found of text.matchAll(/\\(?:u(.{4})|U(.{8})|[^])/g)) {
    const digits = found[1] ?? found[2];
    if (digits === undefined) continue;
    const code = parseInt(digits, 16);
    if (
      kind === "bytes" || code > 0x10ffff || code >= 0xd800 && code <= 0xdfff
    ) {
      throw new ExpressionError(
        kind === "bytes"
          ? `Escape "${found[0]}" is not allowed in bytes`
          : `Escape "${found[0]}" is not a valid character`,
        offset + found.index,
        kind === "bytes" ? "Write bytes as \\x and two digits" : undefined,
      );
    }
  }
}

/** Operators of other languages, and their CEL equivalents. */
const foreign: Readonly<Record<string, string>> = {
  "=": 'Compare with "=="',
  "&": 'Write "&&" for and',
  "|": 'Write "||" for or',
  "#": 'Write "//" before a comment',
  ";": "An expression is one value, without a semicolon",
  "“": "Use straight quotes, \" or '",
  "”": "Use straight quotes, \" or '",
  "‘": "Use straight quotes, \" or '",
  "’": "Use straight quotes, \" or '",
};

function stray(text: string, offset: number): ExpressionError {
  const rest = text.slice(offset);
  const [character = ""] = rest;
  const quote = /^[bB]?([rR]?)("""|'''|"|')/.exec(rest);
  if (quote !== null) return unterminatedString(rest, quote, offset);
  const hint = Object.hasOwn(foreign, character)
    ? foreign[character]
    : undefined;
  const message = `Unexpected ${JSON.stringify(character)}`;
  return new ExpressionError(message, offset, hint);
}

function unterminatedString(
  rest: string,
  [start, raw = "", quote = ""]: RegExpExecArray,
  offset: number,
): ExpressionError {
  const wrong = new RegExp(`^(?:${escape}|[^\\\\])*\\\\`).exec(rest);
  const end = rest.indexOf(quote, start.length);
  if (raw === "" && wrong !== null && end >= wrong[0].length) {
    const at = wrong[0].length - 1;
    const message = `Unknown escape ${JSON.stringify(rest.slice(at, at + 2))}`
      .replace("\\\\", "\\");
    const hint = 'Write "\\\\" for a backslash, or r before the quotes';
    return new ExpressionError(message, offset + at, hint);
  }
  const hint = quote.length === 1 && end >= 0
    ? `Write ${quote.repeat(3)} around a string of several lines`
    : `Close it with ${quote}`;
  return new ExpressionError("String is not closed", offset, hint);
}
