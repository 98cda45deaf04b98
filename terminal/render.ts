import { after } from "../lib/timer.ts";
import { writeExactly } from "./bigint_json.ts";
import type { Format, RowQuery } from "./format.ts";
import { plain } from "./terminal_text.ts";
import { layOut } from "./table.ts";
import { rowName, tableDrawing } from "./tabular.ts";
import type { Column, TableView, TextView, View } from "./view.ts";
import type { Sink } from "./environment.ts";
import type { LiveLines } from "./live_lines.ts";
import { type Paint, paintedParts, unpainted } from "./tone.ts";
import { type Writer, writer } from "./buffered_writer.ts";

/** Writes the rows of one command. */
export interface Renderer<Row> {
  /** Writes one row; returns a promise only when the reader is slow. */
  readonly row: (row: Row) => void | Promise<void>;
  /** Writes the rendered text of several rows; absent unless each row is written as its view renders it. */
  readonly text?: ((text: string) => void | Promise<void>) | undefined;
  /** Writes a failed node; true if the format has a row for it. */
  readonly failure: (row: FailureRow) => Promise<boolean>;
  readonly end: () => Promise<void>;
}

/** A failed node, in machine-readable formats. */
export interface FailureRow {
  readonly node: string;
  readonly error: {
    /** gRPC status name, connection cause, or `UNKNOWN`. */
    readonly code: string;
    readonly message: string;
  };
}

/** Options for a renderer. */
export interface RenderOptions<Row> {
  readonly view: View<Row>;
  readonly format: Format;
  readonly sink: Sink;
  /** Position of a row's node in the selection; sorts the rows of a table block. */
  readonly rank?: (row: Row) => number;
  /** Row filter and order; default all, as they arrive. */
  readonly query?: RowQuery;
  /** False for tables without headers; default true. */
  readonly headers?: boolean;
  /** Colours texts; default none. */
  readonly paint?: Paint;
  /** Prints a note to standard error. */
  readonly note?: (text: string) => void;
  /** True for finite rows, which are then ordered by node in machine-readable formats as well. */
  readonly ordered?: boolean;
  /** Set for change events: `live` redraws current rows in place on a terminal. */
  readonly changes?: {
    /** Lines at the bottom of the terminal; without them each change is its own row. */
    readonly live?: LiveLines | undefined;
  };
}

/** Idle time before a table shows its rows, in milliseconds. */
const quietMs = 500;

/** Creates the renderer for a format and a view. */
export async function renderer<Row>(
  options: RenderOptions<Row>,
): Promise<Renderer<Row>> {
  const { where = [], sortBy } = options.query ?? {};
  if (sortBy === undefined && where.length === 0) return await plainly(options);
  // Loaded on demand: rarely used.
  const { rowFilter, sortedRows } = await import("./row_query.ts");
  const isShown = rowFilter(options.view, where);
  if (sortBy === undefined) {
    const drawn = await plainly(options);
    const row = (row: Row) => isShown(row) ? drawn.row(row) : undefined;
    return { ...drawn, row, text: undefined };
  }
  const drawn = await plainly({ ...options, rank: () => 0, ordered: false });
  const kept: Row[] = [];
  async function flush(): Promise<void> {
    for (const row of sortedRows(options.view, sortBy ?? "", kept.splice(0))) {
      await drawn.row(row);
    }
  }
  return {
    row(row) {
      if (isShown(row)) kept.push(row);
    },
    async failure(failed) {
      await flush();
      return await drawn.failure(failed);
    },
    async end() {
      await flush();
      await drawn.end();
    },
  };
}

async function plainly<Row>(
  options: RenderOptions<Row>,
): Promise<Renderer<Row>> {
  const { view, format, sink, rank = () => 0, ordered = false } = options;
  const out = writer(sink);
  switch (format.kind) {
    case "table":
      break;
    case "custom-columns": {
      const { customTable } = await import("./custom_columns.ts");
      return tabular(customTable(format.columns), out, options, true);
    }
    case "name":
      return naming(view, out, options);
    default: {
      const written = await structuredRenderer<Row>(out, format, sink);
      return ordered ? inOrder(written, rank) : written;
    }
  }
  const paint = options.paint ?? unpainted;
  switch (view.kind) {
    case "table": {
      const { live } = options.changes ?? {};
      if (live === undefined) return tabular(view, out, options, format.wide);
      const { liveTable } = await import("./live_table.ts");
      return liveTable(view, { ...options, live, wide: format.wide ?? false });
    }
    case "bytes": {
      // The view guarantees that its rows are bytes.
      if (!sink.terminal) {
        return passing((row) => out.bytes(row as Uint8Array), out);
      }
      const decoder = new TextDecoder();
      return passing((row) => {
        const text = decoder.decode(row as Uint8Array, { stream: true });
        return out.text(plain(text));
      }, out);
    }
    case "text": {
      let first = true;
      const draw = (row: Row) => {
        const text = view.render(row, first, sink.columns());
        first = false;
        return paintCell(sink.terminal ? plain(text) : text, view, paint);
      };
      const show = (row: Row) => out.text(draw(row));
      const text = sink.terminal || paint !== unpainted ? undefined : out.text;
      if (!view.gather) return { ...passing(show, out), text };
      let table: ReturnType<typeof tableDrawing<Row>> | undefined;
      const gathered = gathering<Row>(
        (rows, isLast) => {
          if (view.many === undefined || table === undefined && !rows[1]) {
            return rows.map(draw).join("");
          }
          table ??= drawTable(view.many, options);
          return table.block(rows, isLast);
        },
        out,
        rank,
      );
      return {
        ...gathered,
        // Rows without a node come first anyway, and need no timer, which costs start-up time.
        row: (row) => rank(row) < 0 ? show(row) : gathered.row(row),
      };
    }
  }
}

function paintCell<Row>(
  text: string,
  { tone, parts }: TextView<Row>,
  paint: Paint,
): string {
  if (paint === unpainted || tone === undefined && parts === undefined) {
    return text;
  }
  return text.split("\n").map((line) =>
    parts === undefined
      ? paint(line, tone?.(line))
      : paintedParts(parts(line), paint)
  ).join("\n");
}

/** Orders rows by node in machine-readable formats; rows of one node stay in order. */
function inOrder<Row>(
  written: Renderer<Row>,
  rank: (row: Row) => number,
): Renderer<Row> {
  const byRank = new Map<number, Row[]>();
  async function flush(): Promise<void> {
    const ranks = [...byRank.keys()].sort((a, b) => a - b);
    for (const place of ranks) {
      for (const row of byRank.get(place) ?? []) await written.row(row);
    }
    byRank.clear();
  }
  return {
    row(row) {
      const place = rank(row);
      // Rows of the first node need not wait.
      if (place <= 0) return written.row(row);
      const rows = byRank.get(place);
      if (rows === undefined) byRank.set(place, [row]);
      else rows.push(row);
    },
    async failure(failed) {
      await flush();
      return await written.failure(failed);
    },
    async end() {
      await flush();
      await written.end();
    },
  };
}

/** Writes the names of rows, each once, one per line. */
function naming<Row>(
  view: View<Row>,
  out: Writer,
  { sink, rank = () => 0 }: RenderOptions<Row>,
): Renderer<Row> {
  const named = new Set<string>();
  let columns: readonly Column<Row>[] | undefined;
  const name = (row: Row) =>
    view.kind === "table"
      ? rowName(columns ??= view.columns(row), row)
      : Reflect.get(Object(row), "node");
  return gathering(
    (rows) => {
      const lines: string[] = [];
      for (const row of rows) {
        const text = name(row);
        if (typeof text !== "string" || text === "" || named.has(text)) {
          continue;
        }
        named.add(text);
        lines.push(`${sink.terminal ? plain(text) : text}\n`);
      }
      return lines.join("");
    },
    out,
    rank,
  );
}

function passing<Row>(
  row: (row: Row) => void | Promise<void>,
  out: Writer,
): Renderer<Row> {
  return { row, failure: () => Promise.resolve(false), end: out.flush };
}

/** Columns that `--sort-by` and `--field-selector` name. */
export function namedColumns(query: RowQuery = {}): readonly string[] {
  const { sortBy = "", where = [] } = query;
  return [sortBy.replace(/^-/, ""), ...where.map(({ field }) => field)];
}

function drawTable<Row>(
  view: TableView<Row>,
  options: RenderOptions<Row>,
  wide = false,
) {
  const { sink, headers = true, query, changes, paint = unpainted } = options;
  return tableDrawing(view, {
    ...{ columns: sink.columns, wide, headers, paint },
    named: namedColumns(query),
    marked: changes !== undefined,
  });
}

function tabular<Row>(
  view: TableView<Row>,
  out: Writer,
  options: RenderOptions<Row>,
  wide = false,
): Renderer<Row> {
  const { rank = () => 0, headers = true } = options;
  const drawing = drawTable(view, options, wide);
  let isEmpty = true;
  const gathered = gathering<Row>(
    (rows, isLast) => {
      isEmpty = false;
      return drawing.block(rows, isLast);
    },
    out,
    rank,
    !view.clusterWide,
  );
  return {
    ...gathered,
    async end() {
      await gathered.end();
      if (isEmpty && headers && view.emptyHeader !== undefined) {
        out.text(layOut([view.emptyHeader], { gap: view.gap }).text);
      }
      await out.flush();
      for (const note of drawing.notes()) options.note?.(note);
    },
  };
}

/** Collects rows until they pause, if they do, and shows them in the order of their nodes. */
function gathering<Row>(
  draw: (rows: readonly [Row, ...Row[]], isLast: boolean) => string,
  out: Writer,
  rank: (row: Row) => number,
  pauses = true,
): Renderer<Row> {
  let pending: Row[] = [];
  let quiet: (() => void) | undefined;
  let broken: { readonly error: unknown } | undefined;

  async function showNow(): Promise<void> {
    try {
      await show();
      await out.flush();
    } catch (error) {
      // The timer is not awaited; the next row throws the error.
      broken = { error };
    }
  }

  function show(isLast = false): void | Promise<void> {
    quiet?.();
    quiet = undefined;
    const [first, ...others] = pending.map((row) => ({ row, place: rank(row) }))
      .sort((a, b) => a.place - b.place)
      .map(({ row }) => row);
    pending = [];
    // Without rows there is no header either.
    return first && out.text(draw([first, ...others], isLast));
  }

  return {
    row(row) {
      if (broken !== undefined) throw broken.error;
      pending.push(row);
      if (pending.length >= 10_000) return show();
      if (pauses) quiet ??= after(quietMs, showNow);
    },
    failure: () => Promise.resolve(false),
    async end() {
      await show(true);
      await out.flush();
    },
  };
}

type StructuredFormat = Extract<
  Format,
  { kind: "json" | "jsonl" | "yaml" } | { kind: "jsonpath" }
>;

async function structuredRenderer<Row>(
  out: Writer,
  format: StructuredFormat,
  { terminal }: Sink,
): Promise<Renderer<Row>> {
  const encode = await encoder(format);
  // Encoders escape only some control characters.
  const row = (row: unknown) =>
    out.text(terminal ? plain(encode(row)) : encode(row));
  return {
    row,
    async failure(failed) {
      // A template is written for rows, and does not fit failures.
      if (format.kind === "jsonpath") return false;
      await row(failed);
      return true;
    },
    end: out.flush,
  };
}

async function encoder(
  format: StructuredFormat,
): Promise<(row: unknown) => string> {
  switch (format.kind) {
    case "yaml": {
      // Loaded on demand: the library costs more than the start of the program.
      const { yamlDocument } = await import("./yaml_rows.ts");
      let first = true;
      return (row) => {
        const text = yamlDocument(row);
        const separated = first ? text : `---\n${text}`;
        first = false;
        return separated;
      };
    }
    case "jsonpath": {
      const { compileTemplate } = await import("./jsonpath/template.ts");
      return compileTemplate(format.template);
    }
    default: {
      const indent = format.kind === "json" ? 4 : 0;
      return (row) => `${JSON.stringify(row, writeExactly, indent)}\n`;
    }
  }
}
