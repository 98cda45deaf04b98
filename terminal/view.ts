/** How rows look to a person; declared by commands, drawn by `render.ts`. */

import type { Tone, TonedPart } from "./tone.ts";

/** What a column shows, and what happens to it where there is little room. */
export interface ColumnSpec<Row> {
  cell(row: Row): string;
  /**
   * True when it is part of the name of a row, and is never dropped. Where no column says so, the first one is, and
   * with it the second one behind a column `NODE`.
   */
  readonly name?: boolean;
  /**
   * Columns with the highest number are dropped first; default the place of the column, counted from 1. What a
   * command is asked for has 0, and is never dropped.
   */
  readonly priority?: number;
  /** The cell without what other cells say, too, where all that is never dropped does not fit; it may be cut. */
  short?(row: Row): string;
  /** True for sentences, which continue on further lines; only the last column shown does. */
  readonly prose?: boolean;
  /** What to sort by where that is not the text, such as a number of bytes. */
  value?(row: Row): number | bigint | string;
  /** What the cell means; default nothing. */
  tone?(row: Row): Tone | undefined;
}

/** One column of a table. */
export interface Column<Row> extends ColumnSpec<Row> {
  /** Header; two columns may share one. */
  readonly header: string;
}

/** Columns by their headers, in order; a function is the cell text. */
export type ColumnTable<Row> = Readonly<
  Record<string, ((row: Row) => string) | ColumnSpec<Row>>
>;

/** Rows as aligned columns under a header. */
export interface TableView<Row> {
  readonly kind: "table";
  /** Columns in order, decided when the first row is there. */
  columns(first: Row): readonly Column<Row>[];
  readonly gap: number;
  /** Header to show when there is not a single row; omitted, nothing is shown then. */
  readonly emptyHeader?: readonly string[];
}

/** Rows as text of their own. */
export interface TextView<Row> {
  readonly kind: "text";
  /**
   * Text of one row, with its line ends; `first` is true for the first row. `columns`: width of the terminal, in
   * which text that is laid out has to fit.
   */
  render(row: Row, first: boolean, columns?: number): string;
  /** True to gather rows like those of a table, and show them in the order of their nodes. */
  readonly gather: boolean;
  /** What a line means, for its colour; default nothing. */
  readonly tone?: (line: string) => Tone | undefined;
  /** What the parts of a line mean, where it is not one meaning for all of it. */
  readonly parts?: (line: string) => readonly TonedPart[];
}

/** Rows are bytes and are passed on unchanged. */
interface BytesView {
  readonly kind: "bytes";
}

/** How rows look. */
export type View<Row> = TableView<Row> | TextView<Row> | BytesView;

/**
 * Rows as aligned columns.
 *
 * @param columns Header to cell text or column, in order.
 * @param gap Spaces between columns, default 3.
 */
export function table<Row>(
  columns: ColumnTable<Row>,
  gap = 3,
): TableView<Row> {
  const fixed = columnList(columns);
  return { kind: "table", columns: () => fixed, gap };
}

/**
 * Rows as aligned columns whose header is shown also when there are no rows.
 *
 * @param columns Header to cell text or column, in order.
 */
export function headedTable<Row>(columns: ColumnTable<Row>): TableView<Row> {
  return { ...table(columns), emptyHeader: Object.keys(columns) };
}

function columnList<Row>(
  columns: ColumnTable<Row>,
): readonly Column<Row>[] {
  return Object.entries(columns).map(([header, column]) =>
    typeof column === "function"
      ? { header, cell: column }
      : { ...column, header }
  );
}

/** Rows as aligned columns that depend on what the rows are. `columns`: columns in order, from the first row. */
export function tableBy<Row>(
  columns: (first: Row) => readonly Column<Row>[],
): TableView<Row> {
  return { kind: "table", columns, gap: 3 };
}

/**
 * Rows as lines, each shown as it comes.
 *
 * @param line Text of one row without its line end.
 * @param tone What a line means; default nothing.
 */
export function lines<Row>(
  line: (row: Row) => string,
  tone?: TextView<Row>["tone"],
): TextView<Row> {
  const render = (row: Row) => `${line(row)}\n`;
  return { kind: "text", render, gather: false, ...tone && { tone } };
}

/** Rows as text of any shape, in the order of their nodes. `tone`: what a line means; default nothing. */
export function textual<Row>(
  render: TextView<Row>["render"],
  tone?: TextView<Row>["tone"],
): TextView<Row> {
  return { kind: "text", render, gather: true, ...tone && { tone } };
}

/** Rows as raw bytes, for commands that pass a file on. */
export function bytes(): BytesView {
  return { kind: "bytes" };
}
