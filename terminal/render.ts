/** Draws rows as the user asked for them. */

import { after } from "../transport/timer.ts";
import { exact } from "./bigint_json.ts";
import type { Format } from "./format.ts";
import { cell, plain } from "./terminal_text.ts";
import { type Layout, layOut } from "./table.ts";
import type { Column, TableView, View } from "./view.ts";
import type { Sink } from "./environment.ts";
import { type Writer, writer } from "./buffered_writer.ts";

/** Takes the rows of one command. */
export interface Renderer<Row> {
  /** Takes one row; returns a promise only when the reader has to be waited for. */
  readonly row: (row: Row) => void | Promise<void>;
  /** Takes a failed node; true when it was written as a row. */
  readonly failure: (row: FailureRow) => Promise<boolean>;
  /** Writes out what is left. */
  readonly end: () => Promise<void>;
}

/** A node that failed, in formats for programs. */
export interface FailureRow {
  /** Node as the user named it. */
  readonly node: string;
  /** What went wrong. */
  readonly error: {
    /** gRPC status name, connection cause, or `UNKNOWN`. */
    readonly code: string;
    /** Text for people. */
    readonly message: string;
  };
}

/** What a renderer is made of. */
export interface RenderOptions<Row> {
  /** How rows look to a person. */
  readonly view: View<Row>;
  /** Format the user asked for. */
  readonly format: Format;
  /** Standard output. */
  readonly sink: Sink;
  /** Place of a row's node among the selected ones; rows of a table block are sorted by it. */
  readonly rank?: (row: Row) => number;
}

/** How long rows may stop coming before a table shows what it has, in milliseconds. */
const quietMs = 500;

/** Makes the renderer for a format and a view. */
export async function renderer<Row>(
  { view, format, sink, rank = () => 0 }: RenderOptions<Row>,
): Promise<Renderer<Row>> {
  const out = writer(sink);
  if (format.kind !== "table") return await structured(out, format, sink);
  switch (view.kind) {
    case "table":
      return tabular(view, out, sink, rank);
    case "bytes": {
      // The view says that its rows are bytes.
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
        const text = view.render(row, first);
        first = false;
        return sink.terminal ? plain(text) : text;
      };
      const show = (row: Row) => out.text(draw(row));
      if (!view.gather) return passing(show, out);
      const gathered = gathering<Row>(
        (rows) => rows.map(draw).join(""),
        out,
        rank,
      );
      return {
        ...gathered,
        // What is of no node comes before all others anyway, and needs no timer, which costs start-up.
        row: (row) => rank(row) < 0 ? show(row) : gathered.row(row),
      };
    }
  }
}

function passing<Row>(
  row: (row: Row) => void | Promise<void>,
  out: Writer,
): Renderer<Row> {
  return { row, failure: () => Promise.resolve(false), end: out.flush };
}

function tabular<Row>(
  view: TableView<Row>,
  out: Writer,
  sink: Sink,
  rank: (row: Row) => number,
): Renderer<Row> {
  let columns: readonly Column<Row>[] | undefined;
  let layout: Layout | undefined;

  const room = () => ({ gap: view.gap, columns: sink.columns() });
  const gathered = gathering<Row>(
    (rows) => {
      const shown = columns ??= view.columns(rows[0]);
      const headers = shown.map(({ header }) => header);
      const cells = rows.map((row) =>
        shown.map((column) => cell(column.cell(row)))
      );
      const lines = layout ? cells : [headers, ...cells];
      const block = layOut(lines, room(), layout);
      layout = block.layout;
      return block.text;
    },
    out,
    rank,
  );
  const { emptyHeader } = view;
  if (emptyHeader === undefined) return gathered;
  return {
    ...gathered,
    async end() {
      await gathered.end();
      if (layout === undefined) out.text(layOut([emptyHeader], room()).text);
      await out.flush();
    },
  };
}

/** Keeps rows until they stop coming, and shows them in the order of their nodes. */
function gathering<Row>(
  draw: (rows: readonly [Row, ...Row[]]) => string,
  out: Writer,
  rank: (row: Row) => number,
): Renderer<Row> {
  let pending: Row[] = [];
  let quiet: (() => void) | undefined;
  let broken: { readonly error: unknown } | undefined;

  async function showNow(): Promise<void> {
    try {
      await show();
      await out.flush();
    } catch (error) {
      // Nobody waits for a timer; the next row tells.
      broken = { error };
    }
  }

  function show(): void | Promise<void> {
    quiet?.();
    quiet = undefined;
    const [first, ...others] = pending.map((row) => ({ row, place: rank(row) }))
      .sort((a, b) => a.place - b.place)
      .map(({ row }) => row);
    pending = [];
    // Without a single row there is no header either.
    return first === undefined ? undefined : out.text(draw([first, ...others]));
  }

  return {
    row(row) {
      if (broken !== undefined) throw broken.error;
      pending.push(row);
      if (pending.length >= 10_000) return show();
      quiet ??= after(quietMs, showNow);
    },
    failure: () => Promise.resolve(false),
    async end() {
      await show();
      await out.flush();
    },
  };
}

async function structured<Row>(
  out: Writer,
  format: Exclude<Format, { kind: "table" }>,
  { terminal }: Sink,
): Promise<Renderer<Row>> {
  const encode = await encoder(format);
  // Encoders escape only some of the control characters.
  const row = (row: unknown) =>
    out.text(terminal ? plain(encode(row)) : encode(row));
  return {
    row,
    async failure(failed) {
      // A template is written for rows; what it looks for is not in a failure.
      if (format.kind === "jsonpath") return false;
      await row(failed);
      return true;
    },
    end: out.flush,
  };
}

async function encoder(
  format: Exclude<Format, { kind: "table" }>,
): Promise<(row: unknown) => string> {
  switch (format.kind) {
    case "yaml": {
      // Loaded on demand: the library costs more than the whole start of the program.
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
      return (row) => `${JSON.stringify(row, exact, indent)}\n`;
    }
  }
}
