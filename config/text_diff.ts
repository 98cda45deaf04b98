/** Differences between texts, as people read them. */

import { structuredPatch } from "diff";

/**
 * Compares two texts line by line.
 *
 * @param from The one text.
 * @param to The other text.
 * @returns Hunks of a unified diff with three lines of context, without file
 * headers; empty when nothing is different.
 */
export function unified(from: string, to: string): string {
  const { hunks } = structuredPatch("", "", from, to, "", "", { context: 3 });
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const old = rangeOf(oldStart, oldLines);
    const now = rangeOf(newStart, newLines);
    return `${[`@@ -${old} +${now} @@`, ...lines].join("\n")}\n`;
  }).join("");
}

// No lines stand behind the line before them.
function rangeOf(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}
