/** A table that is drawn again in place while its rows change. */

import { type Drawing, drawing } from "./drawing.ts";
import type { Size } from "./environment.ts";
import type { LiveLines } from "./live_lines.ts";
import type { Renderer, RenderOptions } from "./render.ts";
import { rowKey, tableDrawing } from "./tabular.ts";
import type { Column, TableView } from "./view.ts";

/** What it is drawn with. */
export interface LiveTableOptions<Row> extends RenderOptions<Row> {
  readonly live: LiveLines;
  /** True for all columns; lines that are too long are cut by the terminal. */
  readonly wide: boolean;
}

/** Shows the rows there are now; one with `event` `destroyed` is taken out. */
export function liveTable<Row>(
  view: TableView<Row>,
  { live, wide, headers = true, paint = (text) => text, rank = () => 0 }:
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
      marked: false,
      paint,
    };
    const table = tableDrawing(view, style);
    const all = table.block([first, ...others]).trimEnd().split("\n");
    const omitted = table.omitted();
    const notes = omitted === undefined ? [] : [omitted];
    // The last line of the terminal is where the cursor is.
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
