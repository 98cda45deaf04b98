/** Rows of nodes: name, role, state, versions, time, and message. */

import { formatCount } from "../../lib/text/count.ts";
import { fitText } from "../../terminal/drawing.ts";
import { cell } from "../../terminal/terminal_text.ts";
import { formatDuration } from "../../lib/duration.ts";
import type { Size } from "../../terminal/environment.ts";

/** A row of a node; texts may be from nodes. */
interface NodeRow {
  readonly node: string;
  /** Role: `controlplane` or `worker`; absent if unknown. */
  readonly role?: string | undefined;
  /** State: `running`, `queued`, `done`, or another outcome. */
  readonly state: string;
  /** Version before and after: `v1.12.0 → v1.12.4`; absent if unknown. */
  readonly version?: string;
  /** Time: `1m5s`; absent before it began. */
  readonly time?: string;
  /** Reason of a wait or failure. */
  readonly text: string;
}

/** States by urgency: failed, running, waiting, done. Unknown states count as failed. */
const ranks: Readonly<Record<string, number>> = {
  recovered: 1,
  running: 2,
  waiting: 2,
  "not-reached": 3,
  skipped: 3,
  queued: 4,
  pending: 4,
  done: 5,
  unchanged: 5,
  accepted: 5,
};

function rank(state: string): number {
  return ranks[state] ?? 0;
}

/** Columns before the message; the number is the order in which they are dropped when space is short. */
const outcomeColumns = [
  { read: ({ node }: NodeRow) => node, most: 1 / 3 },
  { read: ({ role }: NodeRow) => role ?? "", leaves: 1, name: "role" },
  { read: ({ state }: NodeRow) => state },
  { read: ({ version }: NodeRow) => version ?? "", leaves: 2, name: "version" },
  { read: ({ time }: NodeRow) => time ?? "" },
];

/** Minimum width of messages before columns are dropped, in characters. */
const textRoom = 24;

const gap = "  ";

/**
 * Renders nodes as rows.
 *
 * If there are more nodes than rows, failures come first, then running, waiting and finished nodes; the last line
 * counts them all. If space is short, roles and then versions are dropped, and the last line says so.
 *
 * @param size Available room.
 * @returns Lines without their ends, no longer than the width.
 */
export function nodeRows(
  all: readonly NodeRow[],
  { columns, rows }: Size,
): readonly string[] {
  const whole = rowLines(all, columns);
  const below = footer("", whole.omitted, columns);
  const lines = below === "" ? whole.lines : [...whole.lines, below];
  if (lines.length <= rows || all.length <= 1) return lines.slice(0, rows);
  const worst = byUrgency(all).slice(0, Math.max(0, rows - 1));
  const cut = rowLines(worst, columns);
  return [...cut.lines, footer(countStates(all), cut.omitted, columns)];
}

/** Footer with the node counts and the dropped columns; empty if not needed. */
function footer(
  count: string,
  omitted: readonly string[],
  columns: number,
): string {
  const noun = omitted.length === 1 ? "column" : "columns";
  const short = omitted.length === 0 ? "" : `+${omitted.length} ${noun}`;
  const join = (text: string) => [count, text].filter(Boolean).join("; ");
  const whole = join(short === "" ? "" : `${short}: ${omitted.join(", ")}`);
  return whole.length <= columns ? whole : fitText(join(short), columns);
}

/** Renders rows in the given order; `omitted` lists the dropped columns. */
function rowLines(
  shown: readonly NodeRow[],
  columns: number,
): { readonly lines: readonly string[]; readonly omitted: readonly string[] } {
  const texts = shown.map(({ text }) => cell(text));
  const longest = Math.max(0, ...texts.map(({ length }) => length));
  const read = outcomeColumns.map(({ read, most = 1, leaves, name = "" }) => {
    const cells = shown.map((row) =>
      fitText(cell(read(row)), Math.floor(columns * most))
    );
    const width = Math.max(0, ...cells.map((one) => [...one].length));
    return { cells, width, leaves, name };
  });
  const all = read.filter(({ width }) => width > 0);
  let kept = all;
  const isTight = () =>
    kept.reduce((sum, { width }) => sum + width + gap.length, 0) +
        Math.min(longest, textRoom) > columns;
  for (const turn of [1, 2]) {
    if (isTight()) kept = kept.filter(({ leaves }) => leaves !== turn);
  }
  const lines = shown.map((_, i) =>
    [
      ...kept.map(({ cells, width }) => pad(cells[i] ?? "", width)),
      texts[i] ?? "",
    ].join(gap).trimEnd()
  ).map((line) => fitText(line, columns));
  const left = all.filter((one) => !kept.includes(one));
  return { lines, omitted: left.map(({ name }) => name) };
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - [...text].length));
}

/** Sorts nodes: failed first, then running, waiting and finished. */
export function byUrgency<T extends Pick<NodeRow, "state">>(
  all: readonly T[],
): readonly T[] {
  return all.toSorted((a, b) => rank(a.state) - rank(b.state));
}

/** Counts nodes by state, failures first: `6 nodes: 1 failed, 5 done`. */
export function countStates(
  all: readonly Pick<NodeRow, "state">[],
): string {
  const counts = [...Map.groupBy(all, ({ state }) => state)]
    .toSorted(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b));
  const parts = counts.map(([state, { length }]) => `${length} ${state}`);
  return `${formatCount(all.length, "node")}: ${parts.join(", ")}`;
}

/** Formats the versions of a node: before and after, or the only one. */
export function versionText(from = "", to = ""): string {
  if (from === "" || to === "" || from === to) return to || from;
  return `${from} → ${to}`;
}

/** Formats a duration in whole seconds. `from`, `to`: milliseconds since 1970. */
export function formatElapsed(from: number, to: number): string {
  const seconds = Math.max(0, Math.floor((to - from) / 1_000));
  return formatDuration(seconds * 1_000);
}
