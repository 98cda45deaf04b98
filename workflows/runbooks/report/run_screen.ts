/** Draws how far a run is. */

import { fitted } from "../../../terminal/drawing.ts";
import { formatDuration } from "../../../config/duration.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import type { Size } from "../../../terminal/environment.ts";
import type { FanOutShown } from "./fan_out_state.ts";
import type { NodeShown } from "./node_state.ts";
import type { RunShown } from "./run_state.ts";
import type { StageShown } from "./step_state.ts";
import { stoppingText } from "./stop_state.ts";

/**
 * Draws a run: what it is, its steps, what it waits for, the budget, and a line for each node.
 *
 * Where there are more nodes than rows, those that continue come first, then those that ended badly, then those
 * that wait for their turn; the last line counts them all.
 *
 * @param size What there is room for; one row stays free for the cursor.
 * @param now The present, in milliseconds since 1970.
 * @returns Lines without their ends, none longer than the terminal is wide.
 */
export function render(
  run: RunShown,
  { columns, rows }: Size,
  now: number,
): readonly string[] {
  const room = Math.max(1, rows - 1);
  const head = [
    headLine(run, now),
    ...stageLines(run, columns),
    ...questions(run),
    ...run.ended === undefined ? underWay(run, now) : [],
  ].slice(0, Math.max(1, room - 2));
  const nodes = nodeLines(
    run.nodes,
    { columns, rows: room - head.length },
    now,
  );
  return [...head, ...nodes].slice(0, room)
    .map((line) => fitted(cell(line).trimEnd(), columns));
}

function headLine(run: RunShown, now: number): string {
  const { runbook, cluster, state, reason, startedAt = now, ended = now } = run;
  const name = [runbook, cluster].filter((part) => part !== "").join(" on ");
  const why = reason === "" ? "" : `: ${reason}`;
  return [name, run.run, `${state}${why}`, elapsed(startedAt, ended)]
    .filter((part) => part !== "").join("  ");
}

const marks: Readonly<Record<StageShown["state"], string>> = {
  next: "[ ]",
  running: "[>]",
  waiting: "[>]",
  done: "[x]",
  failed: "[!]",
  skipped: "[-]",
};

/** Most lines the steps of a runbook take. */
const stageRows = 3;

function stageLines(
  { stages, fanOuts }: RunShown,
  columns: number,
): readonly string[] {
  const texts = stages.map(({ path, state }) => {
    const counted = fanOuts.filter((one) => isWithin(one.path, path));
    const total = counted.reduce((sum, { nodes }) => sum + nodes, 0);
    const ended = counted.reduce((sum, one) => sum + one.ended, 0);
    return `${marks[state]} ${path}${total === 0 ? "" : ` ${ended}/${total}`}`;
  });
  const lines: string[] = [];
  for (const text of texts) {
    const longer = `${lines.at(-1)}  ${text}`;
    if (lines.length === 0 || longer.length > columns) lines.push(text);
    else lines[lines.length - 1] = longer;
  }
  // What is running has to be seen; what is behind it matters less.
  const at = lines.findIndex((line) => line.includes(marks.running));
  const from = Math.max(0, Math.min(at, lines.length - stageRows));
  return lines.slice(from, from + stageRows);
}

function isWithin(path: string, top: string): boolean {
  return path === top || path.startsWith(`${top}/`);
}

function questions({ asked, stopping }: RunShown): readonly string[] {
  return [
    ...asked.map(({ tag, message, command }) =>
      `approval ${tag}: ${message}  ${command}`
    ),
    ...stopping === undefined ? [] : [stoppingText(stopping)],
  ];
}

/** Steps outside of fan-outs that continue, and the budget of those inside. */
function underWay(
  { stages, fanOuts }: RunShown,
  now: number,
): readonly string[] {
  const steps = stages.flatMap(({ state, at, text, since, fanOut }) => {
    const isOn = state === "running" || state === "waiting";
    if (!isOn || at === "" || fanOut && text === "") return [];
    const parts = [at, state, since === undefined ? "" : elapsed(since, now)];
    return [[...parts, text].join("  ")];
  });
  return [...steps, ...fanOuts.filter(({ open }) => open).map(budgetLine)];
}

function budgetLine(fanOut: FanOutShown): string {
  const { path, nodes, ended, inFlight, unavailable, failures } = fanOut;
  const { maxUnavailable, maxFailures } = fanOut;
  return [
    `${path} ${ended}/${nodes}`,
    `${inFlight} in flight`,
    `${unavailable}${limit(maxUnavailable)} unavailable`,
    `${failures}${limit(maxFailures)} failed`,
  ].join("  ");
}

function limit(most: number | undefined): string {
  return most === undefined ? "" : ` of at most ${most}`;
}

function nodeLines(
  all: readonly NodeShown[],
  { columns, rows }: Size,
  now: number,
): readonly string[] {
  const isCut = all.length > rows;
  const shown = isCut ? urgent(all).slice(0, Math.max(0, rows - 1)) : all;
  const cells = shown.map((one) => [
    fitted(cell(one.node), Math.floor(columns / 3)),
    one.state,
    fitted(cell(one.step), Math.floor(columns / 4)),
    one.since === undefined ? "" : elapsed(one.since, one.ended ?? now),
    one.text,
  ]);
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(0, ...cells.map((line) => line[column]?.length ?? 0))
  );
  const lines = cells.map((line) =>
    line.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ")
  );
  return [...lines, ...isCut ? [summary(all)] : []];
}

const ranks: Readonly<Record<string, number>> = {
  running: 0,
  waiting: 0,
  queued: 2,
  done: 3,
};

function urgent(all: readonly NodeShown[]): readonly NodeShown[] {
  const rank = ({ state }: NodeShown) => ranks[state] ?? 1;
  return all.toSorted((a, b) => rank(a) - rank(b));
}

function summary(all: readonly NodeShown[]): string {
  const counts = Map.groupBy(all, ({ state }) => state);
  const parts = [...counts.keys()].toSorted()
    .map((state) => `${counts.get(state)?.length} ${state}`);
  return `${all.length} nodes: ${parts.join(", ")}`;
}

function elapsed(from: number, to: number): string {
  const seconds = Math.max(0, Math.floor((to - from) / 1_000));
  return formatDuration(seconds * 1_000);
}
