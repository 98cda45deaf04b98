/** Tokens of Go templates. */

/** A token with its offset in the text. */
export interface Token {
  readonly kind:
    | ("text" | "open" | "close" | "string" | "number")
    | ("field" | "variable" | "word" | "mark");
  /** Value of strings; names of fields are without their dot. */
  readonly text: string;
  readonly at: number;
  /** True after white space. */
  readonly spaced: boolean;
}

/** Throws the error of an offset in the text. */
export type Fail = (at: number, fault: string, hint?: string) => never;

const comment = /\{\{(?:-\s+)?\/\*[^]*?\*\/(?:\s+-)?\}\}/y;

const patterns: readonly (readonly [Token["kind"], RegExp])[] = [
  // A minus sign before }} needs a space before it.
  ["close", /\}\}|(?<=\s)-\}\}/y],
  ["string", /"(?:[^"\\\n]|\\.)*"|`[^`]*`/y],
  [
    "number",
    /[-+]?(?:0[xX][0-9a-fA-F_]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/y,
  ],
  ["field", /\.[\p{L}_][\p{L}\p{N}_]*/uy],
  ["variable", /\$[\p{L}\p{N}_]*/uy],
  ["word", /[\p{L}_][\p{L}\p{N}_]*/uy],
  ["mark", /:=|[.=|(),]/y],
];

/** Splits a template into its tokens. */
export function tokenize(text: string, fail: Fail): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{{", at);
    const before = text.slice(at, open < 0 ? text.length : open);
    const isTrimmed = open >= 0 && /^\{\{-\s/.test(text.slice(open, open + 4));
    const shown = isTrimmed ? before.trimEnd() : before;
    if (shown !== "") {
      tokens.push({ kind: "text", text: shown, at, spaced: false });
    }
    if (open < 0) break;
    at = readAction(text, open, tokens, fail);
    if (text.slice(at - 3, at) === "-}}") {
      at = text.length - text.slice(at).trimStart().length;
    }
  }
  return tokens;
}

/** Reads from `{{` to `}}`. Returns the offset after it. */
function readAction(
  text: string,
  open: number,
  tokens: Token[],
  fail: Fail,
): number {
  comment.lastIndex = open;
  if (comment.test(text)) return comment.lastIndex;
  tokens.push({ kind: "open", text: "{{", at: open, spaced: false });
  let at = open + (/^\{\{-\s/.test(text.slice(open, open + 4)) ? 3 : 2);
  for (;;) {
    const start = at;
    while (/\s/.test(text.charAt(at))) at++;
    if (at >= text.length) {
      return fail(open, "An action is not closed", "End it with }}");
    }
    const found = patterns.find(([, pattern]) => {
      pattern.lastIndex = at;
      return pattern.test(text);
    });
    if (found === undefined) {
      return fail(at, `Unexpected character ${JSON.stringify(text[at])}`);
    }
    const [kind, { lastIndex }] = found;
    const raw = text.slice(at, lastIndex);
    const value = kind === "string"
      ? unquote(raw, at, fail)
      : kind === "field"
      ? raw.slice(1)
      : raw;
    tokens.push({ kind, text: value, at, spaced: at > start });
    at = lastIndex;
    if (kind === "close") return at;
  }
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
