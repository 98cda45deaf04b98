/** Row layouts for people; declared by commands, drawn by `render.ts`. */

import type { Tone, TonedPart } from "./tone.ts";

/** Content of a column, and its behaviour in narrow terminals. */
export interface ColumnSpec<Row> {
  cell(row: Row): string;
  /**
   * True if it is part of the name of a row, and never dropped. Default: the first column, and
   * the second one after a column `NODE`.
   */
  readonly name?: boolean;
  /**
   * Columns with the highest number are dropped first; default the position of the column, from 1. The
   * main columns of a command have 0, and are never dropped.
   */
  readonly priority?: number;
  /** Shorter cell, without what other cells show, for when the required columns and these do not fit; required ones may be cut. */
  short?(row: Row): string;
  /** True if it is shown only with `-o wide`, or if a flag names it. */
  readonly wide?: boolean;
  /** True if scripts do not get it, so that the columns they count stay: only terminals and `-o wide` show it. */
  readonly extra?: boolean;
  /** True for sentences, which wrap; only if the column is the last one shown. */
  readonly prose?: boolean;
  /** Sort key if it is not the text, such as a number of bytes. */
  value?(row: Row): number | bigint | string;
  /** Tone of the cell; default none. */
  tone?(row: Row): Tone | undefined;
}

/** Priority of a column that says so little that it is dropped even before those that repeat others. */
export const leastPriority = Number.MAX_SAFE_INTEGER - 1;

/** One column of a table. */
export interface Column<Row> extends ColumnSpec<Row> {
  /** Header; unique in its table. */
  readonly header: string;
}

/** Columns by header, in order; a function returns the cell text. */
export type ColumnTable<Row> = Readonly<
  Record<string, ((row: Row) => string) | ColumnSpec<Row>>
>;

/** Rows as aligned columns under a header. */
export interface TableView<Row> {
  readonly kind: "table";
  /** Columns in order, decided on the first row. */
  columns(first: Row): readonly Column<Row>[];
  readonly gap: number;
  /** True for rows about the cluster, which every node reports: a terminal shows them once if all nodes agree. */
  readonly clusterWide?: boolean;
  /** Header for an empty table; default nothing is printed. */
  readonly emptyHeader?: readonly string[];
}

/** Rows with their own text format. */
export interface TextView<Row> {
  readonly kind: "text";
  /**
   * Text of one row, with its line ends; `first` is true for the first row. `columns`: width of the terminal, a
   * limit for formatted text.
   */
  render(row: Row, first: boolean, columns?: number): string;
  /** True to collect rows and show them in the order of their nodes, as in a table. */
  readonly gather: boolean;
  /** Layout of rows of several nodes that arrive together; default each in its own format. */
  readonly many?: TableView<Row>;
  /** Tone of a line; default none. */
  readonly tone?: (line: string) => Tone | undefined;
  /** Tones of the parts of a line, if they differ. */
  readonly parts?: (line: string) => readonly TonedPart[];
}

/** Rows are bytes, passed on unchanged. */
interface BytesView {
  readonly kind: "bytes";
}

/** Row layout. */
export type View<Row> = TableView<Row> | TextView<Row> | BytesView;

/** Rows as aligned columns. `columns`: header to cell text or column, in order. */
export function table<Row>(columns: ColumnTable<Row>): TableView<Row> {
  const fixed = columnList(columns);
  return tableBy(() => fixed);
}

/** Rows about the cluster, from several nodes; scripts get those of each node. `columns`: with a column `NODE`. */
export function clusterTable<Row>(columns: ColumnTable<Row>): TableView<Row> {
  return { ...table(columns), clusterWide: true };
}

/**
 * Rows as aligned columns with a header even without rows.
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

/** Rows as aligned columns that depend on the rows. `columns`: columns in order, from the first row. */
export function tableBy<Row>(
  columns: (first: Row) => readonly Column<Row>[],
): TableView<Row> {
  return { kind: "table", columns, gap: 3 };
}

/**
 * Rows as lines, printed as they arrive.
 *
 * @param line Text of one row without its line end.
 * @param tone Tone of a line; default none.
 */
export function lines<Row>(
  line: (row: Row) => string,
  tone?: TextView<Row>["tone"],
): TextView<Row> {
  const render = (row: Row) => `${line(row)}\n`;
  return { kind: "text", render, gather: false, ...tone && { tone } };
}

/** Rows as free-form text, in the order of their nodes. `tone`: tone of a line; default none. */
export function textual<Row>(
  render: TextView<Row>["render"],
  tone?: TextView<Row>["tone"],
): TextView<Row> {
  return { kind: "text", render, gather: true, ...tone && { tone } };
}

/** Rows as raw bytes, for file contents. */
export function bytes(): BytesView {
  return { kind: "bytes" };
}

/** Normalized header: `DB SIZE`, `db-size` and `dbSize` are equal, and `SIZE(B)` and `size`. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]|\(.*\)$/g, "");
}
