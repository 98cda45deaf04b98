import type { Paint, Tone } from "./tone.ts";

/** What a table remembers between blocks, so that later blocks line up with earlier ones. */
export interface Layout {
  /** Widths of the columns in code points. */
  readonly widths: readonly number[];
}

interface TableLimits {
  readonly gap: number;
  /** Width of the terminal; where it is given, the last column continues on further lines. */
  readonly columns?: number | undefined;
  readonly paint?: Paint;
  /** What a cell means, by its place; default nothing. */
  readonly tones?: readonly (readonly (Tone | undefined)[])[];
}

/**
 * Lays out a block of rows; the last cell is not padded.
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
  readonly text: string;
  readonly layout: Layout;
} {
  const widths = measureWidths(rows, before.widths);
  const text = rows.map((row, i) => `${line(row, i, widths, room)}\n`).join("");
  return { text, layout: { widths } };
}

/** Widths of the columns. `before`: widths they have at least. */
export function measureWidths(
  rows: readonly (readonly string[])[],
  before: readonly number[] = [],
): readonly number[] {
  const widths = [...before];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, width(cell));
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
    painted(cell, i) + " ".repeat((widths[i] ?? 0) + gap - width(cell))
  ).join("");
  const text = (row[last] ?? "").trimEnd();
  if (text === "") return before.trimEnd();
  if (columns === undefined) return before + painted(text, last);
  const start = widths.slice(0, last).reduce((sum, one) => sum + one + gap, 0);
  return before + wrapped(text, columns - start)
    .map((part) => painted(part, last)).join(`\n${" ".repeat(start)}`);
}

/** Width below which text is not broken or cut any more. */
export const leastWidth = 20;

/** Breaks a text at its spaces; a word that is too long keeps a line for itself. `room`: width in columns. */
export function wrapped(text: string, room: number): readonly string[] {
  if (width(text) <= room || room < leastWidth) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (width(longer) <= room || line === "") {
      line = longer;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** What decides which columns stay. */
export interface DroppableColumn {
  /** True when it is never dropped. */
  readonly name?: boolean;
  /** Columns with the highest number are dropped first; those with 0 never are. */
  readonly priority?: number;
  /** True when it needs no more than its least width. */
  readonly prose?: boolean;
}

/**
 * Chooses the columns that fit: the least important are left out, names never are.
 *
 * @param widths Width of each column.
 * @returns Places of the columns to show, in order.
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
      // Sentences are broken where they are last.
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

/** Whether a column is never dropped. */
export function isKept(column: DroppableColumn | undefined): boolean {
  return column?.name === true || column?.priority === 0;
}

/** Cuts a text in its middle, of which least is missed. `room`: width in columns. */
export function cutMiddle(text: string, room: number): string {
  if (width(text) <= room) return text;
  const points = [...text];
  const start = Math.floor((room - 1) / 3);
  return [
    ...points.slice(0, start),
    "…",
    ...points.slice(points.length - (room - 1 - start)),
  ].join("");
}

function width(text: string): number {
  // Counting code units is right, and far cheaper, for plain text.
  // deno-lint-ignore no-control-regex
  return /^[\x00-\x7f]*$/.test(text) ? text.length : [...text].length;
}
