/** Makes text from nodes safe to show on a terminal. */

// Escape sequences (CSI, OSC, two-byte), the control characters that are not white space, and those of Unicode that
// turn the direction of writing.
const sequence =
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Strips terminal control sequences and control characters; tabs and line ends stay. */
export function plain(text: string): string {
  return text.replace(sequence, "");
}

/**
 * Makes text fit for a message of ours: plain, and with every further line set in, so that none of them passes for
 * a message of its own.
 */
export function setIn(text: string): string {
  return plain(text).trimEnd().replace(/[\n\u2028\u2029](?! )/g, "\n  ");
}

/** Makes text of several lines fit for a note: plain, and only its first line can be a label of ours. */
export function noted(text: string): string {
  return plain(text)
    .replace(/[\u2028\u2029]/g, "\n")
    .replace(/\n(?=(?:error|hint|warning|usage)\b)/gi, "\n  ");
}

/** Makes text fit for one table cell: plain, on one line. */
export function cell(text: string): string {
  return plain(text).replace(/[\r\n\t\u2028\u2029]+/g, " ");
}
