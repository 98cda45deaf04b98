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
    const range = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
    return `${[range, ...lines].join("\n")}\n`;
  }).join("");
}
