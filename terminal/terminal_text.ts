/** Sanitizes text from nodes for a terminal. */

// Escape sequences (CSI, OSC, two-byte), control characters other than white space, and Unicode characters that
// change the direction of text.
const sequence =
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Strips terminal control sequences and control characters; tabs and line ends stay. */
export function plain(text: string): string {
  return text.replace(sequence, "");
}

/** Sanitizes text for a message: indents all further lines, so that none of them looks like a separate message. */
export function setIn(text: string): string {
  return plain(text).trimEnd().replace(/[\n\u2028\u2029](?! )/g, "\n  ");
}

/** Sanitizes multi-line text for a note: only its first line can be one of our labels. */
export function noteText(text: string): string {
  return plain(text)
    .replace(/[\u2028\u2029]/g, "\n")
    .replace(/\n(?=(?:error|hint|warning|usage)\b)/gi, "\n  ");
}

/** Sanitizes text for a table cell, on one line. */
export function cell(text: string): string {
  return plain(text).replace(/[\r\n\t\u2028\u2029]+/g, " ");
}
