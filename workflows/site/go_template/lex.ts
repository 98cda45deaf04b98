/** Tokens of Go templates. */

import type { Fail } from "./parse.ts";

/** A token with its offset in the text. */
export interface Token {
  readonly kind:
    | "text"
    | "open"
    | "close"
    | "string"
    | "number"
    | "field"
    | "dot"
    | "variable"
    | "word"
    | "mark";
  /** Value of strings; names of fields are without their dot. */
  readonly text: string;
  readonly at: number;
  /** True after white space. */
  readonly spaced: boolean;
}

/** Tokens, one after the other. */
export interface Lexer {
  readonly next: () => Token | undefined;
  /** Looks ahead; by default at the next one. */
  readonly peek: (ahead?: number) => Token | undefined;
  /** Offset of the end of the text. */
  readonly end: number;
}

const patterns: readonly (readonly [Token["kind"], RegExp])[] = [
  ["close", /-?\}\}/y],
  ["string", /"(?:[^"\\\n]|\\.)*"|`[^`]*`/y],
  [
    "number",
    /[-+]?(?:0[xX][0-9a-fA-F_]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/y,
  ],
  ["field", /\.[\p{L}_][\p{L}\p{N}_]*/uy],
  ["dot", /\./y],
  ["variable", /\$[\p{L}\p{N}_]*/uy],
  ["word", /[\p{L}_][\p{L}\p{N}_]*/uy],
  ["mark", /:=|[=|(),]/y],
];

/** Splits a template into its tokens. */
export function tokenize(text: string, fail: Fail): Lexer {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{{", at);
    const before = text.slice(at, open < 0 ? text.length : open);
    const trims = open >= 0 && /^-\s/.test(text.slice(open + 2, open + 4));
    const shown = trims ? before.trimEnd() : before;
    if (shown !== "") {
      tokens.push({ kind: "text", text: shown, at, spaced: false });
    }
    if (open < 0) break;
    at = readAction(text, open, tokens, fail);
    if (/-\}\}$/.test(text.slice(at - 3, at))) {
      at += text.slice(at).length - text.slice(at).trimStart().length;
    }
  }
  let index = 0;
  return {
    next: () => tokens[index++],
    peek: (ahead = 0) => tokens[index + ahead],
    end: text.length,
  };
}

/** Reads from `{{` to `}}`. Returns the offset after it. */
function readAction(
  text: string,
  open: number,
  tokens: Token[],
  fail: Fail,
): number {
  const comment = /\{\{(?:-\s+)?\/\*[^]*?\*\/(?:\s+-)?\}\}/y;
  comment.lastIndex = open;
  const skipped = comment.exec(text);
  if (skipped !== null) return open + skipped[0].length;
  tokens.push({ kind: "open", text: "{{", at: open, spaced: false });
  let at = open + (/^\{\{-\s/.test(text.slice(open, open + 4)) ? 3 : 2);
  for (;;) {
    const space = /\s*/y;
    space.lastIndex = at;
    const { length } = space.exec(text)?.[0] ?? "";
    const spaced = length > 0;
    at += length;
    if (at >= text.length) {
      fail(open, "An action is not closed", "End it with }}");
    }
    const token = readToken(text, at, spaced, fail);
    tokens.push(token.token);
    at = token.end;
    if (token.token.kind === "close") return at;
  }
}

function readToken(
  text: string,
  at: number,
  spaced: boolean,
  fail: Fail,
): { readonly token: Token; readonly end: number } {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) continue;
    // A minus sign before }} needs a space before it.
    if (found === "-}}" && !spaced) break;
    const value = kind === "string"
      ? unquote(found, at, fail)
      : kind === "field"
      ? found.slice(1)
      : found;
    return { token: { kind, text: value, at, spaced }, end: at + found.length };
  }
  return fail(at, `Unexpected character ${JSON.stringify(text[at])}`);
}

const escapes: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" },
  ...{ "\\": "\\", '"': '"' },
};

function unquote(quoted: string, at: number, fail: Fail): string {
  const inner = quoted.slice(1, -1);
  if (quoted.startsWith("`")) return inner;
  return inner.replaceAll(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/g,
    (all, two, four, eight, one) => {
      const code = two ?? four ?? eight;
      if (code !== undefined) return String.fromCodePoint(parseInt(code, 16));
      return escapes[one] ?? fail(at, `Unknown escape "${all}" in a string`);
    },
  );
}
