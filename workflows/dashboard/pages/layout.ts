/** Building blocks of pages: tables, blocks of names and values, gauges, sparklines. */

import { formatDuration } from "../../../lib/duration.ts";
import {
  lineText,
  type ScreenLine,
  type ScreenStyle,
  type Span,
} from "../../../terminal/screen_line.ts";
import { padColumns, textWidth } from "../../../terminal/text_width.ts";
import { fitting, measureWidths } from "../../../terminal/table.ts";
import type { Size } from "../../../terminal/environment.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import type { PageContent, PagePlace, PageRow } from "./page.ts";

/** A column of a table. */
export interface ScreenColumn<Row> {
  readonly header: string;
  readonly cell: (row: Row) => string;
  /** Number to sort by instead of the text, the largest first. */
  readonly value?: (row: Row) => number;
  /** Style of a cell; default none. */
  readonly style?: (row: Row) => ScreenStyle | undefined;
  /** Columns with the highest number are dropped first; 0 for never. */
  readonly priority: number;
}

const gap = 2;

/** Least width of the last column, whose texts are cut. */
const leastText = 16;

/** Lays out a table: the header, and a line for each row. `width`: room in columns. */
export function tableLines<Row>(
  columns: readonly ScreenColumn<Row>[],
  rows: readonly Row[],
  width: number,
): { readonly header: ScreenLine; readonly lines: readonly ScreenLine[] } {
  const cells = rows.map((row) => columns.map((one) => cell(one.cell(row))));
  const headers = columns.map(({ header }) => header);
  const widths = measureWidths([headers, ...cells]);
  const last = columns.length - 1;
  const isEmpty = (i: number) =>
    cells.every((row) => row[i] === "" || row[i] === "-");
  const shown = fitting(
    columns.map(({ priority }, i) =>
      // Those without values go first.
      priority > 0 && isEmpty(i)
        ? { priority: Infinity }
        : { priority, prose: i === last }
    ),
    widths.map((one, i) => i === last ? Math.min(one, leastText) : one),
    { gap, columns: width },
  );
  const padded = (text: string, i: number) =>
    i === shown.at(-1) ? text : padColumns(text, (widths[i] ?? 0) + gap);
  return {
    header: [{
      text: shown.map((i) => padded(headers[i] ?? "", i)).join(""),
      style: "title",
    }],
    lines: rows.map((row, at) =>
      shown.map((i): Span => ({
        text: padded(cells[at]?.[i] ?? "", i),
        style: columns[i]?.style?.(row),
      }))
    ),
  };
}

/** A name and its value. */
export type Fact = readonly [
  name: string,
  value: string,
  style?: ScreenStyle | undefined,
];

const blockGap = 3;

/** Lays out blocks of facts side by side if they fit, else below each other. `width`: room in columns. */
export function factBlocks(
  blocks: readonly (readonly Fact[])[],
  width: number,
): readonly ScreenLine[] {
  const lines: Span[][] = [];
  for (let first = 0; first < blocks.length;) {
    const widths: number[] = [];
    let used = -blockGap;
    for (const block of blocks.slice(first)) {
      const needed = blockWidth(block) + blockGap;
      if (widths.length > 0 && used + needed > width) break;
      widths.push(needed);
      used += needed;
    }
    const beside = blocks.slice(first, first + widths.length);
    const height = Math.max(...beside.map(({ length }) => length));
    for (let at = 0; at < height; at++) {
      lines.push(
        beside.flatMap((block, i) =>
          factSpans(block[at], nameWidth(block), widths[i] ?? 0)
        ),
      );
    }
    first += beside.length;
  }
  return lines;
}

function nameWidth(block: readonly Fact[]): number {
  return Math.max(...block.map(([name]) => name.length)) + 1;
}

function blockWidth(block: readonly Fact[]): number {
  return nameWidth(block) +
    Math.max(...block.map(([, value]) => textWidth(value)));
}

function factSpans(
  fact: Fact | undefined,
  names: number,
  width: number,
): readonly Span[] {
  const [name, given, style] = fact ?? ["", ""];
  const value = cell(given);
  const behind = Math.max(0, width - names - textWidth(value));
  return [
    { text: name.padEnd(names), style: "title" },
    { text: value, style },
    { text: " ".repeat(behind) },
  ];
}

const levels = "▁▂▃▄▅▆▇█";

/**
 * Draws values as bars with eight heights, latest at the right.
 *
 * @param width Columns; if there are more values, only the latest are drawn.
 * @param least Minimum value of a full bar; default 0.
 */
export function sparkline(
  points: readonly number[],
  width: number,
  least = 0,
): string {
  const shown = width > 0 ? points.slice(-width) : [];
  const most = Math.max(least, ...shown);
  const bars = shown.map((value) =>
    most <= 0
      ? levels[0]
      : levels[Math.min(7, Math.max(0, Math.ceil(value / most * 8) - 1))]
  );
  return bars.join("").padStart(width);
}

/** Draws a share as a bar: `CPU [#####     ]  50.0%`. `width`: total columns. */
export function gauge(name: string, share: number, width: number): ScreenLine {
  const text = `${percent(share).padStart(6)}`;
  const room = Math.max(0, width - name.length - text.length - 4);
  const full = Math.round(Math.min(1, Math.max(0, share)) * room);
  return [
    { text: `${name} `, style: "title" },
    { text: "[" },
    {
      text: "#".repeat(full),
      style: share >= 0.9 ? "bad" : share >= 0.7 ? "changing" : "good",
    },
    { text: `${" ".repeat(room - full)}] ${text}` },
  ];
}

/** Formats the time for which a node has not answered: `no answer for 4s`. */
export function formatLate(ms: number): string {
  return `no answer for ${formatDuration(Math.floor(ms / 1000) * 1000)}`;
}

/** The reason why a node does not answer, without the address, which is beside it. */
export function formatReason(problem: string): string {
  return problem.replace(/^cannot connect to \S+: /i, "");
}

/** Formats a share, 0 to 1, with one decimal: `12.5%`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** Highlights matches of a search. `search`: in lower case. */
export function markMatch(line: ScreenLine, search: string): ScreenLine {
  if (search === "" || !lineText(line).toLowerCase().includes(search)) {
    return line;
  }
  const spans: readonly Span[] = typeof line === "string"
    ? [{ text: line }]
    : line;
  return spans.flatMap(({ text, style }) => {
    const parts: Span[] = [];
    const lower = text.toLowerCase();
    let from = 0;
    for (
      let at = lower.indexOf(search);
      at >= 0;
      at = lower.indexOf(search, from)
    ) {
      if (at > from) parts.push({ text: text.slice(from, at), style });
      from = at + search.length;
      parts.push({ text: text.slice(at, from), style: "match" });
    }
    return [...parts, { text: text.slice(from), style }];
  });
}

/** Rows of a text. */
export function textRows(lines: readonly ScreenLine[]): readonly PageRow[] {
  return lines.map((line) => ({ id: "", line }));
}

/** The line with the reason why something is missing; none without a reason. */
export function problemLines(
  problem: string | undefined,
): readonly ScreenLine[] {
  return problem === undefined ? [] : [[{ text: problem, style: "bad" }]];
}

interface PageWindow {
  readonly from: number;
  readonly height: number;
  /** The selected row of a list; -1 for none. */
  readonly at: number;
}

/** Finds the rows on the screen. `size`: room for the page. */
export function findWindow(
  { head, rows, kind, dropped = 0 }: PageContent,
  { id, at, top, isFollowed }: PagePlace,
  size: Size,
): PageWindow {
  const height = Math.max(0, size.rows - head.length);
  const last = Math.max(0, rows.length - height);
  if (kind === "list") {
    const found = id === "" ? -1 : rows.findIndex((row) => row.id === id);
    const selected = rows.length === 0
      ? -1
      : found >= 0
      ? found
      : Math.min(Math.max(0, at), rows.length - 1);
    const from = Math.max(0, Math.min(selected - (height >> 1), last));
    return { from, height, at: selected };
  }
  const isAtEnd = kind === "log" && isFollowed;
  const from = isAtEnd ? last : Math.max(0, Math.min(top - dropped, last));
  return { from, height, at: -1 };
}

/** Tab bar; if not all names fit, those around the selected one. */
export function drawTabs(
  names: readonly string[],
  selected: string,
  width: number,
): readonly Span[] {
  const at = Math.max(0, names.indexOf(selected));
  let [from, to] = [at, at + 1];
  let used = (names[at]?.length ?? 0) + 3;
  for (let grows = true; grows;) {
    grows = false;
    for (const side of [to, from - 1]) {
      const needed = (names[side]?.length ?? Infinity) + 3;
      if (used + needed > width) continue;
      used += needed;
      if (side === to) to++;
      else from--;
      grows = true;
    }
  }
  return names.slice(from, to).flatMap((text, i): readonly Span[] => [
    ...i === 0 ? [] : [{ text: " | " }],
    text === names[at] ? { text, style: "selected" } : { text },
  ]);
}
