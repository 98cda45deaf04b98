/** Replacements in a text, by offset. */

import { Lexer } from "yaml";

// What the lexer gives in front of each scalar.
const scalarMark = "\x1f";

/** One replacement. */
export interface Edit {
  /** First character that goes. */
  readonly from: number;
  /** First character behind it that stays; equal to `from` for an insertion. */
  readonly to: number;
  /** What comes in its place. */
  readonly text: string;
}

/**
 * Replaces parts of a text.
 *
 * @param text Any text.
 * @param edits In any order; of those at the same place the earlier comes first.
 * @returns `undefined` when two of them overlap.
 */
export function edited(
  text: string,
  edits: readonly Edit[],
): string | undefined {
  let result = "";
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
    if (edit.from < at) return undefined;
    result += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return result + text.slice(at);
}

/**
 * Finds the start of a line.
 *
 * @param text Any text.
 * @param at Offset in the line.
 */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/**
 * Finds the end of a line.
 *
 * @param text Any text.
 * @param at Offset in the line.
 * @returns Offset of its line end, or that of the text.
 */
export function lineEnd(text: string, at: number): number {
  const feed = text.indexOf("\n", at);
  if (feed < 0) return text.length;
  return feed > at && text[feed - 1] === "\r" ? feed - 1 : feed;
}

/**
 * Finds the start of the first line that starts at or behind an offset.
 *
 * @param text Any text.
 * @param at Offset.
 */
export function nextLine(text: string, at: number): number {
  if (at > 0 && text[at - 1] === "\n") return at;
  const feed = text.indexOf("\n", at);
  return feed < 0 ? text.length : feed + 1;
}

/**
 * Passes over lines that hold nothing but a comment.
 *
 * @param text Any text.
 * @param at Start of a line.
 * @param column Comments that start further left end it, counted from 0.
 */
export function passComments(text: string, at: number, column: number): number {
  let start = at;
  for (;;) {
    const end = lineEnd(text, start);
    const indent = /^ *(?=#)/.exec(text.slice(start, end))?.[0].length;
    if (indent === undefined || indent < column) return start;
    start = nextLine(text, end + 1);
  }
}

/**
 * Finds comments.
 *
 * @param text YAML, or a part of it that begins and ends between two of its tokens.
 * @returns Each with its `#`.
 */
export function commentsIn(text: string): readonly string[] {
  if (!text.includes("#")) return [];
  const tokens = [...new Lexer().lex(text)];
  return tokens.filter((token, i) =>
    token.startsWith("#") && tokens[i - 1] !== scalarMark
  );
}
