import { takeColumns, takeLastColumns, textWidth } from "./text_width.ts";
import type { Paint, Tone } from "./tone.ts";

/** Layout of a table, kept so that later blocks line up with earlier ones. */
export interface Layout {
  /** Widths of the columns. */
  readonly widths: readonly number[];
}

/** Limits of a table. */
export interface TableLimits {
  readonly gap: number;
  /** Width of the terminal; if set, the last column wraps. */
  readonly columns?: number | undefined;
  readonly paint?: Paint;
  /** Tones of cells by row and column; default none. */
  readonly tones?: readonly (readonly (Tone | undefined)[])[];
}

/**
 * Lays out a block of rows; the last cell is not padded.
 *
 * @param rows Cells, including the header if it is shown.
 * @param before Layout of the previous block.
 * @returns The lines with line ends, and the layout for the next block.
 */
export function layOut(
  rows: readonly (readonly string[])[],
  room: TableLimits,
  before: Layout = { widths: [] },
): {
  readonly text: string;
  readonly layout: Layout;
} {
  const widths = measureWidths(rows, before.widths);
  const text = rows.map((row, i) => `${line(row, i, widths, room)}\n`).join("");
  return { text, layout: { widths } };
}

/** Widths of the columns. `before`: minimum widths. */
export function measureWidths(
  rows: readonly (readonly string[])[],
  before: readonly number[] = [],
): readonly number[] {
  const widths = [...before];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, textWidth(cell));
    });
  }
  return widths;
}

function line(
  row: readonly string[],
  at: number,
  widths: readonly number[],
  { gap, columns, paint, tones }: TableLimits,
): string {
  const last = row.length - 1;
  const tone = tones?.[at];
  const painted = (cell: string, i: number) => paint?.(cell, tone?.[i]) ?? cell;
  const before = row.slice(0, last).map((cell, i) =>
    painted(cell, i) + " ".repeat((widths[i] ?? 0) + gap - textWidth(cell))
  ).join("");
  const text = (row[last] ?? "").trimEnd();
  if (text === "") return before.trimEnd();
  if (columns === undefined) return before + painted(text, last);
  const start = widths.slice(0, last).reduce((sum, one) => sum + one + gap, 0);
  const room = columns - start;
  if (room < leastWidth && textWidth(text) > room) {
    // Too little is left beside the other cells: it has its own lines below them.
    const own = wrap(text, columns - indent).map((part) => painted(part, last));
    const below = `\n${" ".repeat(indent)}`;
    return before.trimEnd() + below + own.join(below);
  }
  return before + wrap(text, room)
    .map((part) => painted(part, last)).join(`\n${" ".repeat(start)}`);
}

/** Indentation of a last cell below the others. */
const indent = 6;

/** Minimum width for wrapping or cutting text. */
export const leastWidth = 20;

/** Wraps a text at spaces; a longer word gets its own line. `room`: width in columns. */
export function wrap(text: string, room: number): readonly string[] {
  if (textWidth(text) <= room || room < leastWidth) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (textWidth(longer) <= room || line === "") {
      line = longer;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** Column properties for choosing columns. */
export interface DroppableColumn {
  /** True when it is never dropped. */
  readonly name?: boolean;
  /** Columns with the highest number are dropped first; those with 0 never. */
  readonly priority?: number;
  /** True if its minimum width is enough. */
  readonly prose?: boolean;
}

/**
 * Selects the columns that fit: the least important are dropped, names never.
 *
 * @param widths Width of each column.
 * @returns Indexes of the columns to show, in order.
 */
export function fitting(
  columns: readonly DroppableColumn[],
  widths: readonly number[],
  { gap, columns: room = Infinity }: Pick<TableLimits, "gap" | "columns">,
): readonly number[] {
  let kept = columns.map((_, i) => i);
  const needed = () =>
    kept.reduce((sum, i, place) => {
      const whole = widths[i] ?? 0;
      // Sentences wrap in the last column.
      const isBroken = columns[i]?.prose && place === kept.length - 1;
      return sum + gap + (isBroken ? Math.min(whole, leastWidth) : whole);
    }, -gap);
  const importance = (i: number) => columns[i]?.priority ?? i + 1;
  while (needed() > room) {
    const [first, ...others] = kept.filter((i) => !isKept(columns[i]));
    if (first === undefined) break;
    const least = others.reduce(
      (worst, i) => importance(i) >= importance(worst) ? i : worst,
      first,
    );
    kept = kept.filter((i) => i !== least);
  }
  return kept;
}

/** Reports whether a column is never dropped. */
export function isKept(column: DroppableColumn | undefined): boolean {
  return column?.name === true || column?.priority === 0;
}

/** Cuts a text in its middle, the least important part. `room`: width in columns. */
export function cutMiddle(text: string, room: number): string {
  if (textWidth(text) <= room) return text;
  const start = Math.floor((room - 1) / 3);
  return `${takeColumns(text, start)}…${
    takeLastColumns(text, room - 1 - start)
  }`;
}
