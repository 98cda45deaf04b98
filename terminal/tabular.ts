/** Draws rows as a table: which columns fit, their colours, and what was left out. */

import {
  cutMiddle,
  type DroppableColumn,
  fitting,
  isKept,
  type Layout,
  layOut,
  leastWidth,
  measureWidths,
} from "./table.ts";
import { cell } from "./terminal_text.ts";
import type { Paint } from "./tone.ts";
import type { Column, ColumnSpec, TableView } from "./view.ts";

interface TableStyle {
  /** Width of the terminal; `undefined` where lines may be of any length. */
  readonly columns: () => number | undefined;
  /** True for all columns, also where they do not fit. */
  readonly wide: boolean;
  readonly headers: boolean;
  /** True when rows say what happened to them: `event`. */
  readonly marked: boolean;
  readonly paint: Paint;
}

interface TableDrawing<Row> {
  /** Text of a block; the header comes with the first one, and again when other columns fit. */
  readonly block: (rows: readonly [Row, ...Row[]]) => string;
  /** What is said of columns that were left out; `undefined` when none was. */
  readonly omitted: () => string | undefined;
}

/** Begins a table. */
export function tableDrawing<Row>(
  view: TableView<Row>,
  { columns: room, wide, headers, marked, paint }: TableStyle,
): TableDrawing<Row> {
  let columns: readonly Column<Row>[] | undefined;
  let widths: readonly number[] = [];
  let layout: Layout | undefined;
  let kept: readonly number[] = [];
  let dropped = 0;
  let isShort = false;

  function block(rows: readonly [Row, ...Row[]]): string {
    const all = columns ??= identified(
      marked ? withMarks(view.columns(rows[0])) : view.columns(rows[0]),
    );
    const header = all.map(({ header }) => header);
    const width = wide ? undefined : room();
    const whole = rows.map((row) => all.map((one) => cell(one.cell(row))));
    const added = (cells: readonly (readonly string[])[]) =>
      measureWidths(headers ? [header, ...cells] : cells, widths);
    isShort ||= width !== undefined && all.some(({ short }) => short) &&
      missingRoom(all, added(whole), { gap: view.gap, columns: width }) > 0;
    const cells = isShort && width !== undefined
      ? shortened(
        all,
        rows,
        whole,
        (cells) =>
          missingRoom(all, added(cells), { gap: view.gap, columns: width }),
      )
      : whole;
    widths = added(cells);
    const limits = { gap: view.gap, columns: width };
    const chosen = fitting(
      width === undefined ? all : withoutRepeats(all, cells),
      widths,
      limits,
    );
    const isFirst = layout === undefined || !sameList(chosen, kept);
    kept = chosen;
    dropped = Math.max(dropped, all.length - kept.length);
    const isWhole = kept.length === all.length;
    const shown = (row: readonly string[]) =>
      isWhole ? row : kept.map((i) => row[i] ?? "");
    const isHeaded = headers && isFirst;
    const lines = [...isHeaded ? [shown(header)] : [], ...cells.map(shown)];
    const toned = kept.map((i) => all[i]?.tone?.bind(all[i]));
    const tones = toned.every((tone) => tone === undefined) ? undefined : [
      ...isHeaded ? [[]] : [],
      ...rows.map((row) => toned.map((tone) => tone?.(row))),
    ];
    const isProse = all[kept.at(-1) ?? 0]?.prose === true;
    const laid = layOut(lines, {
      gap: view.gap,
      ...isProse && { columns: width },
      ...tones && { paint, tones },
    }, { widths: kept.map((i) => widths[i] ?? 0) });
    layout = laid.layout;
    return laid.text;
  }

  function omitted(): string | undefined {
    if (dropped === 0) {
      return isShort ? "names are shortened, -o wide" : undefined;
    }
    return `+${dropped} ${dropped === 1 ? "column" : "columns"}, -o wide`;
  }

  return { block, omitted };
}

/** How much room is missing for what is never dropped. */
function missingRoom(
  columns: readonly DroppableColumn[],
  widths: readonly number[],
  { gap, columns: room }: { readonly gap: number; readonly columns: number },
): number {
  const kept = widths.filter((_, i) => isKept(columns[i]));
  return kept.reduce((sum, one) => sum + one + gap, -gap) - room;
}

/** Takes the short cells, and cuts them as far as room is missing then. */
function shortened<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  whole: readonly (readonly string[])[],
  missing: (cells: readonly (readonly string[])[]) => number,
): readonly (readonly string[])[] {
  const short = rows.map((row, at) =>
    columns.map((column, i) =>
      column.short ? cell(column.short(row)) : whole[at]?.[i] ?? ""
    )
  );
  const over = missing(short);
  if (over <= 0) return short;
  const longest = measureWidths(short);
  return short.map((row) =>
    row.map((text, i) =>
      columns[i]?.short
        ? cutMiddle(text, Math.max(leastWidth, (longest[i] ?? 0) - over))
        : text
    )
  );
}

/** Columns that only repeat the name of a row are the first to go. */
function withoutRepeats<Row>(
  columns: readonly Column<Row>[],
  cells: readonly (readonly string[])[],
): readonly DroppableColumn[] {
  const names = columns.flatMap(({ name }, i) => name ? [i] : []);
  return columns.map((column, i) =>
    !column.name &&
      names.some((name) => cells.every((row) => row[i] === row[name]))
      ? { ...column, priority: Infinity }
      : column
  );
}

function sameList(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}

/** Says which columns name a row, where the view does not. */
function identified<Row>(
  columns: readonly Column<Row>[],
): readonly Column<Row>[] {
  if (columns.some(({ name }) => name)) return columns;
  const names = columns[0]?.header === "NODE" ? 2 : 1;
  return columns.map((column, i) =>
    i < names ? { ...column, name: true } : column
  );
}

interface MarkedRow {
  readonly event?: unknown;
}

const marks: ReadonlyMap<unknown, string> = new Map([
  ["created", "+"],
  ["updated", " "],
  ["destroyed", "-"],
]);

function withMarks<Row>(
  columns: readonly Column<Row>[],
): readonly Column<Row>[] {
  const mark: ColumnSpec<MarkedRow> = {
    cell: ({ event }) => marks.get(event) ?? "",
    name: true,
  };
  const all = identified(columns);
  // Of every row it may be asked what happened to it.
  return [
    ...all.slice(0, 1),
    { header: "*", ...mark as ColumnSpec<Row> },
    ...all.slice(1),
  ];
}

/**
 * The name of a row, as further commands take it: cells of the columns that name it, the node only where nothing else
 * does.
 */
export function rowName<Row>(
  columns: readonly Column<Row>[],
  row: Row,
): string {
  const names = identified(columns).filter(({ name }) => name);
  const own = names.filter(({ header }) => header !== "NODE");
  return (own.length === 0 ? names : own).map((column) => {
    // Where the text is decorated, what is behind it is the name.
    const value = column.value?.(row);
    return cell(typeof value === "string" ? value : column.cell(row));
  }).join("/");
}

/** What tells a row from all others of a table: all cells that name it, the node among them. */
export function rowKey<Row>(columns: readonly Column<Row>[], row: Row): string {
  return identified(columns).filter(({ name }) => name)
    .map((column) => column.cell(row)).join("\0");
}
