/** Widths of texts as a terminal shows them: wide characters and emoji take two columns, combining marks none. */

import stringWidth from "string-width";

// For ASCII text, counting code units is correct and far cheaper.
// deno-lint-ignore no-control-regex
const ascii = /^[\x00-\x7f]*$/;

const segmenter = new Intl.Segmenter("en");

/** Columns that a text takes; it has no control characters. */
export function textWidth(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text);
}

/** The start of a text that fits into a number of columns, in whole characters. */
export function takeColumns(text: string, columns: number): string {
  if (ascii.test(text)) return text.slice(0, Math.max(0, columns));
  let room = columns;
  let taken = "";
  for (const { segment } of segmenter.segment(text)) {
    room -= textWidth(segment);
    if (room < 0) break;
    taken += segment;
  }
  return taken;
}

/** The end of a text that fits into a number of columns, in whole characters. */
export function takeLastColumns(text: string, columns: number): string {
  const segments = Array.from(segmenter.segment(text), (one) => one.segment);
  let room = columns;
  let at = segments.length;
  while (at > 0) {
    room -= textWidth(segments[at - 1] ?? "");
    if (room < 0) break;
    at--;
  }
  return segments.slice(at).join("");
}

/** A text with spaces behind it up to a number of columns. */
export function padColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}
