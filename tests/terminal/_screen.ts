/** A terminal for tests: what a person would see of what was written. */

/** A terminal without an end at its bottom. */
export interface Screen {
  readonly write: (text: string) => void;
  /** Lines from top to bottom; empty ones at the bottom are omitted. */
  readonly lines: () => readonly string[];
}

// Control sequences with their number and letter, line ends, and text in between.
// deno-lint-ignore no-control-regex
const token = /\x1b\[\??(\d*)([A-Za-z])|[\r\n]|[^\x1b\r\n]+/g;

/** Makes an empty one that knows what {@linkcode withLiveLines} uses; line feeds return as well. */
export function screen(): Screen {
  const rows: string[] = [""];
  let [row, column] = [0, 0];

  function put(text: string): void {
    const line = (rows[row] ?? "").padEnd(column);
    rows[row] = line.slice(0, column) + text +
      line.slice(column + text.length);
    column += text.length;
  }

  function control(letter: string, count: number): void {
    if (letter === "A") row = Math.max(0, row - count);
    if (letter === "B") row += count;
    if (letter === "M") rows.splice(row, count);
    if (letter === "K" || letter === "J") {
      rows[row] = (rows[row] ?? "").slice(0, column);
    }
    if (letter === "J") rows.length = row + 1;
  }

  return {
    write(text) {
      for (const [all, count, letter] of text.matchAll(token)) {
        if (letter !== undefined) control(letter, Number(count || 1));
        else if (all === "\r") column = 0;
        else if (all === "\n") {
          [row, column] = [row + 1, 0];
          rows[row] ??= "";
        } else put(all);
      }
    },
    lines() {
      const last = rows.findLastIndex((line) => line !== "");
      return rows.slice(0, last + 1);
    },
  };
}
