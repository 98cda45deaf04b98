/** Tables with a selected row, filtered and sorted by the user. */

import { nearest } from "../../../lib/text/nearest.ts";
import { orderRows } from "../../../terminal/row_query.ts";
import { foldName } from "../../../terminal/view.ts";
import type { ScreenLine } from "../../../terminal/screen_line.ts";
import { type ScreenColumn, tableLines } from "./layout.ts";
import type { PageContent, PageContext, PagePlace } from "./page.ts";

interface ListTable<Row> {
  /** Lines above the header of the table; default none. */
  readonly head?: readonly ScreenLine[];
  readonly columns: readonly ScreenColumn<Row>[];
  /** `undefined` before the node has answered. */
  readonly rows: readonly Row[] | undefined;
  /** Identifies a row. */
  readonly id: (row: Row) => string;
}

/** Lays out a table: the rows that pass the filter, in the order of the user. */
export function listContent<Row>(
  { head = [], columns, rows: known, id }: ListTable<Row>,
  { place: { filter, sort }, size }: Pick<PageContext, "place" | "size">,
): PageContent {
  const isDescending = sort.startsWith("-");
  const sorting = findColumn(columns, sort);
  const rows = known ?? [];
  const ordered = arrangeRows({ columns, rows }, { filter, sort });
  const shown = columns.map((column) =>
    column === sorting
      ? {
        ...column,
        header: `${column.header}${isDescending ? "↓" : "↑"}`,
        // The column that sorts the rows stays visible.
        priority: 0,
      }
      : column
  );
  const { header, lines } = tableLines(shown, ordered, size.columns);
  const filtered: readonly ScreenLine[] = filter === "" ? [] : [[
    { text: `/${filter}`, style: "match" },
    { text: `  ${ordered.length} of ${rows.length}`, style: "muted" },
  ]];
  const note = known === undefined
    // Above is why there is none.
    ? head.length > 0 ? "" : "Waiting for the node"
    : rows.length === 0
    ? "Nothing to list"
    : ordered.length === 0
    ? "No line has this text; Esc shows all"
    : "";
  const notes = note === "" ? [] : [[{ text: note, style: "muted" as const }]];
  return {
    head: [...head, ...filtered, header, ...notes],
    rows: ordered.map((row, i) => ({ id: id(row), line: lines[i] ?? "" })),
    kind: "list",
    orders: columns.map(({ header, value }) => value ? `-${header}` : header),
  };
}

/** The rows that pass the filter, in the order of the user. */
export function arrangeRows<Row>(
  { columns, rows }: {
    readonly columns: readonly ScreenColumn<Row>[];
    readonly rows: readonly Row[];
  },
  { filter, sort }: Pick<PagePlace, "filter" | "sort">,
): readonly Row[] {
  const sorting = findColumn(columns, sort);
  const passing = filterRows(rows, columns, filter);
  return sorting === undefined ? passing : orderRows(
    passing,
    sorting.value ?? sorting.cell,
    sort.startsWith("-"),
  );
}

function findColumn<Row>(
  columns: readonly ScreenColumn<Row>[],
  sort: string,
): ScreenColumn<Row> | undefined {
  if (sort === "") return undefined;
  const name = foldName(sort);
  return columns.find(({ header }) => foldName(header) === name);
}

function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly ScreenColumn<Row>[],
  filter: string,
): readonly Row[] {
  const isNegated = filter.startsWith("!");
  const text = isNegated ? filter.slice(1) : filter;
  if (text === "") return rows;
  const pattern = readPattern(text);
  const matches = (cell: string) =>
    cell.toLowerCase().includes(text) || pattern?.test(cell) === true;
  return rows.filter((row) =>
    columns.some(({ cell }) => matches(cell(row))) !== isNegated
  );
}

/** The regular expression of a filter; `undefined` for plain text, and for one that is not complete yet. */
function readPattern(text: string): RegExp | undefined {
  if (!/[|*+?[\](){}^$\\]/.test(text)) return undefined;
  try {
    return new RegExp(text, "i");
  } catch {
    return undefined;
  }
}

/** The next sort order of a list; the last is followed by that of the page. `by`: 1, or -1 for the one before. */
export function nextOrder(
  orders: readonly string[],
  sort: string,
  by: number,
): string {
  const all = ["", ...orders];
  const at = all.findIndex((one) => foldName(one) === foldName(sort));
  return all[(Math.max(0, at) + by + all.length) % all.length] ?? "";
}

/** Finds the sort order for a typed column: `cpu`, `-load`; the problem if there is none. */
export function findOrder(
  orders: readonly string[],
  typed: string,
): { readonly sort: string } | { readonly problem: string } {
  const names = orders.map((order) => order.replace(/^-/, ""));
  const name = names.find((name) => foldName(name) === foldName(typed));
  if (name !== undefined) {
    return { sort: typed.startsWith("-") ? `-${name}` : name };
  }
  const meant = nearest(foldName(typed), names.map(foldName));
  return {
    problem: meant === undefined
      ? `No column "${typed}"; columns: ${names.join(", ")}`
      : `No column "${typed}"; did you mean "${meant}"?`,
  };
}
