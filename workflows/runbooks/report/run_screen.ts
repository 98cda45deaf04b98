/** Drawing of a run: its progress, steps, nodes, and what matters now. */

import { fitText } from "../../../terminal/drawing.ts";
import { textWidth } from "../../../terminal/text_width.ts";
import { lineText } from "../../../terminal/screen_line.ts";
import { wrap } from "../../../terminal/table.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import { progressTone, type TonedPart } from "../../../terminal/tone.ts";
import type { Size } from "../../../terminal/environment.ts";
import { formatCount } from "../../../lib/text/count.ts";
import { formatElapsed } from "../../operations/node_rows.ts";
import { failedStates } from "./buckets.ts";
import { nodeLines } from "./node_lines.ts";
import {
  estimateLeft,
  formatEstimate,
  measureProgress,
} from "./run_progress.ts";
import type { RunShown } from "./run_state.ts";
import { formatNow } from "./run_now.ts";
import { stageLine } from "./stage_line.ts";

/** A line of a drawing, in parts. */
export type DrawnLine = readonly TonedPart[];

interface DrawOptions {
  /** Node to mark as selected; default none. */
  readonly selected?: string | undefined;
  /** True when keys answer approvals; default their command. */
  readonly keys?: boolean;
}

/**
 * Draws a run.
 *
 * If there are more nodes than rows, they are counted by state, and only those that need attention are drawn.
 *
 * @param size Available room.
 * @param now The present, in milliseconds since 1970.
 * @returns Lines from top to bottom, none wider than the terminal.
 */
export function drawRun(
  run: RunShown,
  { columns, rows }: Size,
  now: number,
  options: DrawOptions = {},
): readonly DrawnLine[] {
  const head = headLines(run, columns, now);
  const matters = formatNow(run, now, options.keys).map(cell);
  const lines = (texts: readonly string[]) =>
    texts.flatMap((line) => foldLine(line, columns))
      .slice(0, Math.max(1, rows - head.length - 3))
      .map((text) => [{ text }]);
  const { length } = lines(matters);
  const gap = rows > head.length + length + 4 ? [[]] : [];
  const room = rows - head.length - length - 2 * gap.length;
  const nodes = nodeLines(run, { columns, rows: room }, now, options.selected);
  // A failure that is whole in the line of its node is not repeated.
  const drawn = nodes.map(lineText);
  const below = lines(
    matters.filter((text) => !drawn.some((line) => repeats(text, line))),
  );
  return [
    ...head,
    ...nodes.length > 0 ? [...gap, ...nodes] : [],
    ...below.length > 0 ? [...gap, ...below] : [],
  ].slice(0, Math.max(1, rows)).map((line) => fitParts(line, columns));
}

/** Reports whether the line of a node has all words of a text: `✗ w-2  failed while draining: …`. */
function repeats(text: string, line: string): boolean {
  const [node = ""] = text.split(" ");
  const rest = text.slice(node.length + 1);
  return rest !== "" && line.includes(` ${node} `) && line.includes(rest);
}

/** Draws the title of a run, its progress and its steps. */
export function headLines(
  run: RunShown,
  columns: number,
  now: number,
): readonly DrawnLine[] {
  const stages = stageLine(run, columns);
  return [
    titleLine(run, columns, now),
    ...run.nodes.length + run.stages.length > 0
      ? [progressLine(run, columns, now)]
      : [],
    ...stages.length > 0 ? [stages] : [],
  ];
}

/** Time without events after which the header says so, in milliseconds. */
const quietMs = 60_000;

/** Width of names before facts are dropped, in characters. */
const leastName = 20;

function titleLine(run: RunShown, columns: number, now: number): DrawnLine {
  const { runbook, cluster, state, startedAt = now, ended, lastAt } = run;
  const name = [runbook || run.run, cluster].filter((part) => part !== "")
    .map(cell).join(" on ");
  const quiet = ended === undefined && now - (lastAt ?? now) >= quietMs
    ? `  nothing new for ${formatElapsed(lastAt ?? now, now)}`
    : "";
  // Nothing is drawn while a question is asked here, so a clock would stand still.
  const isAsked = run.asked.some(({ here }) => here);
  const text = isAsked ? "waiting for an answer" : formatState(state);
  const time = isAsked ? "" : ` ${formatElapsed(startedAt, ended ?? now)}`;
  const since = `, ${isAsked ? "started" : "since"} ${
    formatStart(startedAt, ended ?? now)
  }`;
  const id = runbook === "" ? "" : `  run ${run.run}`;
  const room = (facts: string) =>
    columns - textWidth(`  ${text}${time}${facts}${id}`);
  // The id is typed into commands, so the others make room for it.
  const facts =
    [`${since}${quiet}`, quiet].find((one) =>
      room(one) >= Math.min(leastName, textWidth(name))
    ) ?? "";
  return [
    { text: `${fitText(name, Math.max(1, room(facts)))}  ` },
    { text, style: progressTone(state) },
    { text: `${time}${facts}${id}` },
  ];
}

/** Formats the state of a run: `finished with failures`. */
function formatState(state: string): string {
  return state === "waiting-approval"
    ? "stopped before an approval"
    : state === "partial"
    ? "finished with failures"
    : state;
}

/** Time of the start in UTC, with its day if that is another one. */
function formatStart(startedAt: number, now: number): string {
  const [start, present] = [startedAt, now].map((ms) =>
    new Date(ms).toISOString().slice(0, 16).replace("T", " ")
  );
  const isToday = start?.slice(0, 10) === present?.slice(0, 10);
  return `${isToday ? start?.slice(11) : start} UTC`;
}

const widestBar = 40;

function progressLine(run: RunShown, columns: number, now: number): DrawnLine {
  const { done, total, unit, share } = measureProgress(run);
  const failed =
    run.nodes.filter(({ state }) => failedStates.has(state)).length;
  const left = run.ended === undefined ? estimateLeft(run, now) : undefined;
  const text = [
    `${done} of ${formatCount(total, unit)}`,
    ...failed === 0 ? [] : [`${failed} failed`],
    ...left === undefined ? [] : [formatLeft(left)],
  ].join(", ");
  const width = Math.max(0, Math.min(widestBar, columns - text.length - 2));
  const full = Math.floor(share * width);
  return [
    { text: "━".repeat(full), style: failed === 0 ? "good" : "bad" },
    { text: "─".repeat(width - full), style: "muted" },
    { text: fitText(`${width === 0 ? "" : "  "}${text}`, columns - width) },
  ];
}

function formatLeft(
  { ms, isMost }: NonNullable<ReturnType<typeof estimateLeft>>,
): string {
  const text = formatEstimate(ms);
  return `${isMost ? text.replace("about", "up to") : text} left`;
}

/** Cuts a line to a width. */
function fitParts(line: DrawnLine, columns: number): DrawnLine {
  let room = columns;
  return line.flatMap((part) => {
    const text = room < 1 ? "" : fitText(part.text, room);
    room -= textWidth(text);
    return text === "" ? [] : [{ ...part, text }];
  });
}

/** Wraps a line at spaces; continuation lines are indented. */
export function foldLine(line: string, columns: number): readonly string[] {
  const text = cell(line);
  const indent = " ".repeat(text.length - text.trimStart().length);
  const [first = "", ...others] = wrap(text.trim(), columns - indent.length);
  if (others.length === 0) return [fitText(`${indent}${first}`, columns)];
  const below = `${indent}  `;
  const rest = text.trim().slice(first.length).trim();
  return [
    `${indent}${first}`,
    ...wrap(rest, columns - below.length).map((one) => `${below}${one}`),
  ].map((one) => fitText(one, columns));
}
