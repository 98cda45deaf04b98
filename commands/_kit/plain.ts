/** Makes text from nodes safe to show on a terminal. */

// Escape sequences (CSI, OSC, two-byte) and the control characters that are no white space.
const sequence =
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * Strips terminal control sequences and control characters; tabs and line ends stay.
 *
 * @param text Anything a node sent.
 */
export function plain(text: string): string {
  return text.replace(sequence, "");
}

/**
 * Makes text fit for one table cell: plain, on one line.
 *
 * @param text Anything a node sent.
 */
export function cell(text: string): string {
  return plain(text).replace(/[\r\n\t]+/g, " ");
}
