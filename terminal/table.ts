/** Lays cells out in aligned columns. */

/** What a table remembers between blocks, so that later blocks line up with earlier ones. */
export interface Layout {
  /** Widths of the columns in code points. */
  readonly widths: readonly number[];
}

/** How much room there is. */
export interface TableLimits {
  /** Spaces between columns. */
  readonly gap: number;
  /** Width of the terminal; omitted, lines may be of any length. */
  readonly columns?: number | undefined;
}

/**
 * Lays out a block of rows.
 *
 * The last cell is not padded. On a terminal that is too narrow the last column is cut.
 *
 * @param rows Cells, the header among them if it is to be shown.
 * @param before Layout of the block before.
 * @returns The lines with their ends, and the layout for the next block.
 */
export function layOut(
  rows: readonly (readonly string[])[],
  room: TableLimits,
  before: Layout = { widths: [] },
): {
  /** Lines with their ends. */
  readonly text: string;
  /** For the next block. */
  readonly layout: Layout;
} {
  const widths = [...before.widths];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, width(cell));
    });
  }
  const text = rows.map((row) => `${line(row, widths, room)}\n`).join("");
  return { text, layout: { widths } };
}

function line(
  row: readonly string[],
  widths: readonly number[],
  { gap, columns }: TableLimits,
): string {
  const last = row.length - 1;
  const cells = row.map((cell, i) =>
    i === last ? cell : cell + " ".repeat((widths[i] ?? 0) + gap - width(cell))
  );
  const full = cells.join("").trimEnd();
  if (columns === undefined || width(full) <= columns) return full;
  return `${[...full].slice(0, Math.max(1, columns - 1)).join("")}…`;
}

/** Code points, as the peer counts. */
function width(text: string): number {
  // Counting code units is right, and far cheaper, for plain text.
  // deno-lint-ignore no-control-regex
  return /^[\x00-\x7f]*$/.test(text) ? text.length : [...text].length;
}
