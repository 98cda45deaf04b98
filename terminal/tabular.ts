/** Draws rows as a table: fitting columns, colours, and a note about omitted columns. */

import {
  cutMiddle,
  type DroppableColumn,
  fitting,
  isKept,
  type Layout,
  layOut,
  leastWidth,
  measureWidths,
  type TableLimits,
} from "./table.ts";
import { cell } from "./terminal_text.ts";
import { textWidth } from "./text_width.ts";
import type { Paint } from "./tone.ts";
import {
  type Column,
  type ColumnSpec,
  foldName,
  leastPriority,
  type TableView,
} from "./view.ts";

interface TableStyle {
  /** Width of the terminal; `undefined` for unlimited lines. */
  readonly columns: () => number | undefined;
  /** True for all columns, even if they do not fit. */
  readonly wide: boolean;
  readonly headers: boolean;
  /** Columns that flags name, which are always shown: `-cpu`. Default none. */
  readonly named?: readonly string[];
  /** True if rows have an `event`. */
  readonly marked: boolean;
  readonly paint: Paint;
}

interface TableDrawing<Row> {
  /**
   * Text of a block; the first one has the header, as do blocks with other columns. `isLast`: true if no
   * rows follow.
   */
  readonly block: (rows: readonly [Row, ...Row[]], isLast: boolean) => string;
  /** Notes for users: about omitted columns, apart from those that say nothing new. */
  readonly notes: () => readonly string[];
}

/** Starts a table. */
export function tableDrawing<Row>(
  view: TableView<Row>,
  style: TableStyle,
): TableDrawing<Row> {
  const { columns: room, wide, named = [] } = style;
  const drawing = rowDrawing(view, style);
  const isMerged = view.clusterWide === true && !wide &&
    !named.some((name) => foldName(name) === "node");
  if (!isMerged) return drawing;
  let hasBlocks = false;
  let merged: MergedRows<Row> | undefined;
  let chosen = drawing;
  return {
    block(rows, isLast) {
      // Scripts get the rows of each node.
      if (!hasBlocks && isLast && room() !== undefined) {
        merged = mergeNodes(view, rows);
      }
      hasBlocks = true;
      if (merged?.rows === undefined) return drawing.block(rows, isLast);
      chosen = rowDrawing(merged.view, style);
      return chosen.block(merged.rows, isLast);
    },
    notes: () => [...merged ? [merged.note] : [], ...chosen.notes()],
  };
}

interface MergedRows<Row> {
  /** The view without the nodes. */
  readonly view: TableView<Row>;
  /** Absent if the nodes differ. */
  readonly rows?: readonly [Row, ...Row[]];
  readonly note: string;
}

/** Merges the rows of nodes that agree. Returns `undefined` if all rows are from one node. */
function mergeNodes<Row>(
  view: TableView<Row>,
  rows: readonly [Row, ...Row[]],
): MergedRows<Row> | undefined {
  const columns = view.columns(rows[0]);
  const node = columns.find(({ header }) => header === "NODE");
  const others = columns.filter((column) => column !== node);
  const byNode = Map.groupBy(rows, (row) => node?.cell(row));
  if (byNode.size < 2) return undefined;
  const lists = new Set(
    [...byNode.values()].map((list) =>
      list.map((row) => others.map(({ cell }) => cell(row)).join("\0"))
        .toSorted().join("\n")
    ),
  );
  if (lists.size > 1) {
    return { view, note: "The nodes disagree: each has its own rows" };
  }
  const name = node?.cell(rows[0]);
  const [, ...more] = rows.filter((row) => node?.cell(row) === name);
  const note = `The same from ${byNode.size} nodes`;
  return {
    view: { ...view, columns: () => others },
    rows: [rows[0], ...more],
    note,
  };
}

function rowDrawing<Row>(
  view: TableView<Row>,
  { columns: room, wide, headers, named = [], marked, paint }: TableStyle,
): TableDrawing<Row> {
  let columns: readonly Column<Row>[] | undefined;
  let widths: readonly number[] = [];
  let layout: Layout | undefined;
  let kept: readonly number[] = [];
  const dropped = new Set<string>();
  let isShort = false;

  const folded = named.map((name) => foldName(name));

  function chooseColumns(
    all: readonly Column<Row>[],
  ): readonly Column<Row>[] {
    return all.flatMap((column) => {
      if (folded.includes(foldName(column.header))) {
        return [{ ...column, priority: 0 }];
      }
      const isHidden = column.wide || column.extra && room() === undefined;
      return isHidden && !wide ? [] : [column];
    });
  }

  function block(
    rows: readonly [Row, ...Row[]],
    isLast: boolean,
  ): string {
    const all = columns ??= chooseColumns(
      markNames(
        marked ? withMarks(view.columns(rows[0])) : view.columns(rows[0]),
      ),
    );
    const header = all.map(({ header }) => header);
    const width = wide ? undefined : room();
    const whole = rows.map((row) => all.map((one) => cell(one.cell(row))));
    const isComplete = isLast && layout === undefined;
    const needless = width === undefined
      ? all.map(() => undefined)
      : findNeedless(all, whole, folded, isComplete);
    const ranked = all.map((column, i) => needless[i] ?? column);
    const added = (cells: readonly (readonly string[])[]) =>
      measureWidths(headers ? [header, ...cells] : cells, widths);
    const limits = { gap: view.gap, columns: width };
    const missing = (
      columns: readonly DroppableColumn[],
      cells: readonly (readonly string[])[],
    ) => missingRoom(columns, added(cells), limits);
    isShort ||= all.some(({ short }) => short) && missing(
          ranked.map((one, i) => all[i]?.short ? { priority: 0 } : one),
          whole,
        ) > 0;
    const cells = isShort
      ? shortenNames(all, rows, whole, (cells) => missing(ranked, cells))
      : whole;
    widths = added(cells);
    const chosen = fitting(ranked, widths, limits)
      .filter((i) => !isComplete || needless[i] !== emptyColumn);
    const isFirst = layout === undefined || !sameList(chosen, kept);
    kept = chosen;
    for (const [i, { header }] of all.entries()) {
      if (!kept.includes(i) && !needless[i]) dropped.add(header);
    }
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

  function omissionNotes(): readonly string[] {
    const names = [...dropped];
    if (names.length === 0) {
      return isShort ? ["Names are shortened; see -o wide"] : [];
    }
    const notes = names.map((_, more) => {
      const first = names.slice(0, names.length - more);
      const others = more === 0 ? "" : `, ${more} more`;
      return `Hidden columns: ${first.join(", ")}${others}; see -o wide`;
    });
    const fit = notes.find((note) => textWidth(note) <= (room() ?? Infinity));
    return fit === undefined ? notes.slice(-1) : [fit];
  }

  return { block, notes: omissionNotes };
}

/** Missing width for required columns. */
function missingRoom(
  columns: readonly DroppableColumn[],
  widths: readonly number[],
  { gap, columns: room = Infinity }: TableLimits,
): number {
  const kept = widths.filter((_, i) => isKept(columns[i]));
  return kept.reduce((sum, one) => sum + one + gap, -gap) - room;
}

/** Takes the short cells, and cuts them if still needed. */
function shortenNames<Row>(
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

/** A column without text, which a whole table omits even if there is space. */
const emptyColumn: DroppableColumn = { priority: Number.MAX_SAFE_INTEGER };

/**
 * Finds columns that are dropped early: those without text, then those that repeat the name of a row, then a node that
 * is the same in all rows.
 *
 * @param named Folded names of columns that flags name, which stay unless they repeat the name of a row.
 * @param isWhole True if there are no other rows.
 * @returns Their priorities; `undefined` for the other columns.
 */
function findNeedless<Row>(
  columns: readonly Column<Row>[],
  cells: readonly (readonly string[])[],
  named: readonly string[],
  isWhole: boolean,
): readonly (DroppableColumn | undefined)[] {
  const names = columns.flatMap(({ name }, i) => name ? [i] : []);
  return columns.map((column, i) => {
    const { name, header, prose, priority } = column;
    // A dash in a main column is an answer: nothing blocks an upgrade.
    const isMain = prose || priority === 0;
    const isEmpty = cells.every((row) =>
      row[i] === "" || row[i] === "-" && !isMain
    );
    const repeats = !name &&
      names.some((name) => cells.every((row) => row[i] === row[name]));
    const isOneNode = header === "NODE" && isWhole && cells.length > 1 &&
      cells.every((row) => row[i] === cells[0]?.[i]);
    if (named.includes(foldName(header)) && !repeats) return undefined;
    if (isEmpty && !name) return emptyColumn;
    const rank = [isOneNode, repeats].lastIndexOf(true);
    return rank < 0 ? undefined : { priority: leastPriority + rank - 2 };
  });
}

function sameList(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}

/** Marks the columns that identify a row, if the view does not. */
function markNames<Row>(
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
  const all = markNames(columns);
  // Every row may show its event.
  return [
    ...all.slice(0, 1),
    { header: "*", ...mark as ColumnSpec<Row> },
    ...all.slice(1),
  ];
}

/** Name of a row as an argument of further commands: its name columns, the node only if there is no other. */
export function rowName<Row>(
  columns: readonly Column<Row>[],
  row: Row,
): string {
  const names = markNames(columns).filter(({ name }) => name);
  const own = names.filter(({ header }) => header !== "NODE");
  return (own.length === 0 ? names : own).map((column) => {
    // Decorated text has the plain name as its value.
    const value = column.value?.(row);
    return cell(typeof value === "string" ? value : column.cell(row));
  }).join("/");
}

/** Unique key of a row in a table: all name columns, including the node. */
export function rowKey<Row>(columns: readonly Column<Row>[], row: Row): string {
  return markNames(columns).filter(({ name }) => name)
    .map((column) => column.cell(row)).join("\0");
}
