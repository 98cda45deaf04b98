/** Nodes of a run, one line each: what they do, their versions, and time. */

import { fitText } from "../../../terminal/drawing.ts";
import { padColumns, textWidth } from "../../../terminal/text_width.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import { progressTone, type TonedPart } from "../../../terminal/tone.ts";
import type { Size } from "../../../terminal/environment.ts";
import { formatCount } from "../../../lib/text/count.ts";
import {
  byUrgency,
  formatElapsed,
  versionText,
} from "../../operations/node_rows.ts";
import { formatActivity } from "./activity.ts";
import { isInside, type NodeShown } from "./node_state.ts";
import type { RunShown } from "./run_state.ts";
import { stateMark } from "./stage_line.ts";

const gap = "  ";

/** Minimum width of activities before versions are dropped, in characters. */
const leastActivity = 20;

/** Width of activities that keeps versions and times in sight, unless half of the terminal is wider. */
const widestActivity = 72;

/**
 * Draws the nodes.
 *
 * @param size Available room. If there is not enough, they are counted by state, and those that need attention are drawn.
 * @param selected Node to mark, which is then always drawn; default none.
 */
export function nodeLines(
  run: RunShown,
  { columns, rows }: Size,
  now: number,
  selected?: string,
): readonly (readonly TonedPart[])[] {
  // What the whole run waits for is drawn once, below the nodes.
  const nodes = run.nodes.map((one) =>
    run.reason !== "" && one.text.endsWith(run.reason)
      ? { ...one, text: "" }
      : one
  );
  const lines = (shown: readonly NodeShown[]) =>
    layOut(shown, columns, now, selected);
  if (nodes.length === 0 || rows < 1) return [];
  if (selected !== undefined) {
    return selection(byUrgency(nodes), selected, { columns, rows }, now);
  }
  if (nodes.length <= rows) return lines(nodes);
  const count = [{ text: fitText(countNodes(nodes), columns) }];
  const urgent = byUrgency(nodes).filter(({ state }) => !calm.has(state));
  return [count, ...lines(urgent.slice(0, rows - 1))];
}

/** States of nodes that need no attention. */
const calm: ReadonlySet<string> = new Set([
  "done",
  "queued",
  "not-reached",
  "skipped",
]);

/** As many nodes as fit around the selected one. */
function selection(
  all: readonly NodeShown[],
  selected: string,
  { columns, rows }: Size,
  now: number,
): readonly (readonly TonedPart[])[] {
  const isCut = all.length > rows;
  // The first line is reserved for the count.
  const room = Math.max(1, isCut ? rows - 1 : rows);
  const at = Math.max(0, all.findIndex(({ node }) => node === selected));
  const half = Math.floor(room / 2);
  const from = Math.max(0, Math.min(at - half, all.length - room));
  const lines = layOut(
    all.slice(from, from + room),
    columns,
    now,
    selected,
  );
  const count = [{ text: fitText(countNodes(all), columns) }];
  return isCut && rows > 1 ? [count, ...lines] : lines;
}

/** Counts nodes by what they do: `300 nodes: 2 failed, 3 draining, 111 done, 184 queued`. */
function countNodes(nodes: readonly NodeShown[]): string {
  const counts = [...Map.groupBy(byUrgency(nodes), countKey)]
    .map(([what, { length }]) => `${length} ${what}`);
  return `${formatCount(nodes.length, "node")}: ${counts.join(", ")}`;
}

function countKey({ state, doing }: NodeShown): string {
  if (state === "not-reached") return "not reached";
  return state === "running" && doing !== "" ? doing : state;
}

function layOut(
  nodes: readonly NodeShown[],
  columns: number,
  now: number,
  selected: string | undefined,
): readonly (readonly TonedPart[])[] {
  const rows = nodes.map((one) => ({
    name: fitText(cell(one.node), Math.floor(columns / 3)),
    activity: cell(formatActivity(one, now)),
    version: cell(formatVersion(one)),
    time: timeText(one, now),
  }));
  const widest = (texts: readonly string[]) =>
    Math.max(0, ...texts.map((text) => textWidth(text)));
  const name = widest(rows.map(({ name }) => name));
  const time = widest(rows.map(({ time }) => time));
  const activity = widest(rows.map(({ activity }) => activity));
  const version = widest(rows.map(({ version }) => version));
  const margin = selected === undefined ? 0 : 2;
  const before = margin + 2 + name + gap.length;
  const behind = time === 0 ? 0 : time + gap.length;
  const wide = version === 0 ? 0 : version + gap.length;
  const hasVersion = wide > 0 &&
    columns - before - behind - wide >= Math.min(activity, leastActivity);
  const room = columns - before - behind - (hasVersion ? wide : 0);
  const most = Math.max(widestActivity, Math.floor(columns / 2));
  const width = Math.max(1, Math.min(activity, room, most));
  return rows.map((row, i) => {
    const { node = "", state = "" } = nodes[i] ?? {};
    const text = fitText(row.activity, width);
    const [word = ""] = /^[^:,]*/.exec(text) ?? [];
    const cells = [
      padColumns(text.slice(word.length), width - textWidth(word)),
      ...hasVersion ? [padColumns(row.version, version)] : [],
      ...time === 0 ? [] : [row.time.padStart(time)],
    ].join(gap).trimEnd();
    return [
      ...margin === 0 ? [] : [{ text: selected === node ? "> " : "  " }],
      stateMark(state),
      { text: ` ${padColumns(row.name, name)}${gap}` },
      { text: word, style: progressTone(state) },
      ...cells === "" ? [] : [{ text: cells }],
    ];
  });
}

/** Versions of a node; of one that stopped in a change of its version, only the one it had. */
function formatVersion(
  { from = "", to, state, isVersionUnknown }: NodeShown,
): string {
  const isOld = isVersionUnknown && from !== "" && !isInside(state);
  return isOld ? `was ${from}` : versionText(from, to);
}

/** Time in its current fan-out, or in all of them when it has finished. */
function timeText(
  { since, startedAt = since, ended }: NodeShown,
  now: number,
): string {
  if (startedAt === undefined) return "";
  return formatElapsed(startedAt, ended ?? now);
}
