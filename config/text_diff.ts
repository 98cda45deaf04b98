/** Differences between texts, as people read them. */

import { structuredPatch } from "diff";

/** Most lines that a small difference is looked for in; the time for it grows with their square, and nothing interrupts it. */
const mostChanges = 2_000;

/**
 * Compares two texts line by line; where more than 2,000 lines differ, the one as a whole takes the
 * place of the other. Returns hunks of a unified diff with three lines of context, without file
 * headers; empty when nothing is different.
 */
export function unified(from: string, to: string): string {
  const hunks = structuredPatch("", "", from, to, "", "", {
    context: 3,
    maxEditLength: mostChanges,
  })?.hunks ?? [replacement(from, to)];
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const old = rangeOf(oldStart, oldLines);
    const now = rangeOf(newStart, newLines);
    return `${[`@@ -${old} +${now} @@`, ...lines].join("\n")}\n`;
  }).join("");
}

/** A hunk that takes all lines away and adds all others. */
function replacement(from: string, to: string) {
  const [old, now] = [linesOf("-", from), linesOf("+", to)];
  const counted = (lines: readonly string[]) =>
    lines.filter((line) => !line.startsWith("\\")).length;
  return {
    ...{ oldStart: 1, oldLines: counted(old) },
    ...{ newStart: 1, newLines: counted(now) },
    lines: [...old, ...now],
  };
}

function linesOf(sign: string, text: string): readonly string[] {
  const lines = text.split("\n").map((line) => `${sign}${line}`);
  const [last = ""] = lines.splice(-1);
  return last === sign
    ? lines
    : [...lines, last, "\\ No newline at end of file"];
}

// No lines stand behind the line before them.
function rangeOf(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}
