/** How rows look to a person; declared by commands, drawn by `render.ts`. */

/** One column of a table. */
export interface Column<Row> {
  /** Header; two columns may share one. */
  readonly header: string;
  /** Cell text of a row. */
  cell(row: Row): string;
}

/** Rows as aligned columns under a header. */
export interface TableView<Row> {
  /** Tells views apart. */
  readonly kind: "table";
  /** Columns in order, decided when the first row is there. */
  columns(first: Row): readonly Column<Row>[];
  /** Spaces between columns. */
  readonly gap: number;
  /** Header to show when there is not a single row; omitted, nothing is shown then. */
  readonly emptyHeader?: readonly string[];
}

/** Rows as text of their own. */
export interface TextView<Row> {
  /** Tells views apart. */
  readonly kind: "text";
  /** Text of one row, with its line ends; `first` is true for the first row. */
  render(row: Row, first: boolean): string;
  /** True to gather rows like those of a table, and show them in the order of their nodes. */
  readonly gather: boolean;
}

/** Rows are bytes and are passed on unchanged. */
export interface BytesView {
  /** Tells views apart. */
  readonly kind: "bytes";
}

/** How rows look. */
export type View<Row> = TableView<Row> | TextView<Row> | BytesView;

/**
 * Rows as aligned columns.
 *
 * @param columns Header to cell text, in order.
 * @param gap Spaces between columns, default 3.
 */
export function table<Row>(
  columns: Readonly<Record<string, (row: Row) => string>>,
  gap = 3,
): TableView<Row> {
  const fixed = Object.entries(columns).map(([header, cell]) => ({
    header,
    cell,
  }));
  return { kind: "table", columns: () => fixed, gap };
}

/**
 * Rows as aligned columns whose header is shown also when there are no rows.
 *
 * @param columns Header to cell text, in order.
 */
export function headedTable<Row>(
  columns: Readonly<Record<string, (row: Row) => string>>,
): TableView<Row> {
  return { ...table(columns), emptyHeader: Object.keys(columns) };
}

/** Rows as aligned columns that depend on what the rows are. `columns`: columns in order, from the first row. */
export function tableBy<Row>(
  columns: (first: Row) => readonly Column<Row>[],
): TableView<Row> {
  return { kind: "table", columns, gap: 3 };
}

/** Rows as lines, each shown as it comes. `line`: text of one row without its line end. */
export function lines<Row>(line: (row: Row) => string): TextView<Row> {
  return { kind: "text", render: (row) => `${line(row)}\n`, gather: false };
}

/** Rows as text of any shape, in the order of their nodes. */
export function textual<Row>(
  render: (row: Row, first: boolean) => string,
): TextView<Row> {
  return { kind: "text", render, gather: true };
}

/** Rows as raw bytes, for commands that pass a file on. */
export function bytes(): BytesView {
  return { kind: "bytes" };
}
