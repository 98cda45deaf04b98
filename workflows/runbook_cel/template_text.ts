/** Strings that contain expressions: `before-${{ inputs.version }}.db`. */

/** A part of a text. */
export type TemplatePart = {
  /** Literal characters. */
  readonly text: string;
} | {
  /** CEL, without the delimiters. */
  readonly source: string;
  /** Its offset in the text, in characters from 0. */
  readonly offset: number;
};

interface TemplateText {
  /** Its parts; no two texts follow each other. */
  readonly parts: readonly TemplatePart[];
  /** Offset of an unclosed expression; absent if all are closed. */
  readonly open?: number;
}

/** Start of an expression in a text. */
export const opening = "${{";

/** Splits a text at `${{ }}`; `$${{` is an escaped `${{`. */
export function parseTemplate(text: string): TemplateText {
  const parts: TemplatePart[] = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf(opening, at);
    if (next < 0) break;
    if (text[next - 1] === "$" && next > at) {
      plain += text.slice(at, next - 1) + opening;
      at = next + opening.length;
      continue;
    }
    const end = findEnd(text, next + opening.length);
    if (end === undefined) return { parts, open: next };
    plain += text.slice(at, next);
    if (plain !== "") parts.push({ text: plain });
    plain = "";
    const inner = text.slice(next + opening.length, end);
    const lead = inner.length - inner.trimStart().length;
    const offset = next + opening.length + lead;
    parts.push({ source: inner.trim(), offset });
    at = end + 2;
  }
  plain += text.slice(at);
  if (plain !== "") parts.push({ text: plain });
  return { parts };
}

/** Index of the `}}` that closes an expression: outside its strings and its own braces. */
function findEnd(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const one = text[at];
    if (one === '"' || one === "'") {
      at = closing(text, at, one);
    } else if (one === "{") depth++;
    else if (one === "}" && depth > 0) depth--;
    else if (one === "}" && text[at + 1] === "}") return at;
  }
  return undefined;
}

/** Index of the closing quote of a string; past the end if there is none. */
function closing(text: string, from: number, quote: string): number {
  let at = from + 1;
  while (at < text.length && text[at] !== quote) {
    at += text[at] === "\\" ? 2 : 1;
  }
  return at;
}
