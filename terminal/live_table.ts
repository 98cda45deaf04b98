/** A table that is redrawn in place when its rows change. */

import { type Drawing, drawing } from "./drawing.ts";
import type { Size } from "./environment.ts";
import type { LiveLines } from "./live_lines.ts";
import { namedColumns, type Renderer, type RenderOptions } from "./render.ts";
import { rowKey, tableDrawing } from "./tabular.ts";
import type { Column, TableView } from "./view.ts";

/** Options of {@linkcode liveTable}. */
interface LiveTableOptions<Row> extends RenderOptions<Row> {
  readonly live: LiveLines;
  /** True for all columns; the terminal cuts long lines. */
  readonly wide: boolean;
}

/** Shows the current rows; a row with `event` `destroyed` is removed. */
export function liveTable<Row>(
  view: TableView<Row>,
  { live, wide, headers = true, paint = (text) => text, rank = () => 0, query }:
    LiveTableOptions<Row>,
): Renderer<Row> {
  const rows = new Map<string, Row>();
  let columns: readonly Column<Row>[] | undefined;
  let shown: Drawing | undefined;

  function lines({ columns, rows: height }: Size): readonly string[] {
    const [first, ...others] = [...rows.values()]
      .map((row) => ({ row, place: rank(row) }))
      .sort((a, b) => a.place - b.place)
      .map(({ row }) => row);
    if (first === undefined) return [];
    const style = {
      columns: () => columns,
      wide,
      headers,
      named: namedColumns(query),
      marked: false,
      paint,
    };
    const table = tableDrawing(view, style);
    const all = table.block([first, ...others], true).trimEnd().split("\n");
    const notes = table.notes();
    // The cursor occupies the last line of the terminal.
    const room = Math.max(1, height - 1 - notes.length);
    if (all.length <= room) return [...all, ...notes];
    const hidden = all.length - room + 1;
    return [...all.slice(0, room - 1), `+${hidden} rows`, ...notes];
  }

  return {
    row(row) {
      const key = rowKey(columns ??= view.columns(row), row);
      const isGone = Reflect.get(Object(row), "event") === "destroyed";
      if (isGone) rows.delete(key);
      else rows.set(key, row);
      shown ??= drawing(live, lines);
    },
    failure: () => Promise.resolve(false),
    end: async () => await shown?.end(),
  };
}
