import { fitText } from "../../../terminal/drawing.ts";
import { wrap } from "../../../terminal/table.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import type { Size } from "../../../terminal/environment.ts";
import {
  formatElapsed,
  type NodeRow,
  nodeRows,
  versionText,
} from "../../operations/node_rows.ts";
import type { FanOutShown } from "./fan_out_state.ts";
import type { NodeShown } from "./node_state.ts";
import type { RunShown } from "./run_state.ts";
import type { StageShown } from "./step_state.ts";
import { stoppingText } from "./stop_state.ts";

/**
 * Draws a run: title, steps, waits, budget, and a line for each node.
 *
 * If there are more nodes than rows, failed nodes come first, then running ones, then queued ones; the last line counts
 * all of them.
 *
 * @param size Available room; one row stays free for the cursor.
 * @param now The present, in milliseconds since 1970.
 * @returns Lines without newlines, none wider than the terminal.
 */
export function render(
  run: RunShown,
  { columns, rows }: Size,
  now: number,
): readonly string[] {
  const room = Math.max(1, rows - 1);
  const head = headLines(run, { columns, rows: room - 2 }, now);
  const nodes = nodeRows(run.nodes.map((one) => toRow(one, run, now)), {
    columns,
    rows: room - head.length,
  });
  return [...head, ...nodes].slice(0, room)
    .map((line) => fitText(cell(line).trimEnd(), columns));
}

/**
 * Draws a run without its nodes: title, steps, waits, and budget.
 *
 * @param size Available room; at least one line is drawn.
 * @param now The present, in milliseconds since 1970.
 */
export function headLines(
  run: RunShown,
  { columns, rows }: Size,
  now: number,
): readonly string[] {
  return [
    ...foldLine(headLine(run, now), columns),
    ...stageLines(run, columns),
    ...questions(run).flatMap((line) => foldLine(line, columns)),
    ...run.ended === undefined ? underWay(run, now, columns) : [],
  ].slice(0, Math.max(1, rows));
}

/** Wraps a line at spaces; continuation lines are indented. */
export function foldLine(line: string, columns: number): readonly string[] {
  const text = cell(line);
  const indent = " ".repeat(text.length - text.trimStart().length);
  const [first = "", ...others] = wrap(text.trim(), columns - indent.length);
  if (others.length === 0) return [`${indent}${first}`];
  const below = `${indent}  `;
  const rest = text.trim().slice(first.length).trim();
  return [
    `${indent}${first}`,
    ...wrap(rest, columns - below.length).map((one) => `${below}${one}`),
  ];
}

function headLine(run: RunShown, now: number): string {
  const { runbook, cluster, state, reason, startedAt = now, ended = now } = run;
  const name = [runbook, cluster].filter((part) => part !== "").join(" on ");
  const why = reason === "" ? "" : `: ${reason}`;
  return [name, run.run, `${state}${why}`, formatElapsed(startedAt, ended)]
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

const more = "…";

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
    const room = columns - 2 * more.length;
    if (lines.length === 0 || longer.length > room) lines.push(text);
    else lines[lines.length - 1] = longer;
  }
  // Running steps must be visible; later ones matter less.
  const at = lines.findIndex((line) => line.includes(marks.running));
  const from = Math.max(0, Math.min(at, lines.length - stageRows));
  return lines.slice(from, from + stageRows).map((line, i, { length }) =>
    [
      ...i === 0 && from > 0 ? [more] : [],
      line,
      ...i === length - 1 && from + length < lines.length ? [more] : [],
    ].join(" ")
  );
}

function isWithin(path: string, top: string): boolean {
  return path === top || path.startsWith(`${top}/`);
}

function questions({ asked, stopping }: RunShown): readonly string[] {
  return [
    ...asked.flatMap(({ tag, message, command, here }) =>
      here ? [] : [
        `approval ${tag}: ${message}`,
        `  answer with: ${command}`,
      ]
    ),
    ...stopping === undefined ? [] : [stoppingText(stopping)],
  ];
}

/** Running steps outside fan-outs, and the budget of those inside. */
function underWay(
  { stages, fanOuts, asked }: RunShown,
  now: number,
  columns: number,
): readonly string[] {
  const steps = stages.flatMap(({ path, state, at, text, since, fanOut }) => {
    // The question covers the approval.
    if (asked.some((one) => one.path === path)) return [];
    const isOn = state === "running" || state === "waiting";
    if (!isOn || at === "" || fanOut && text === "") return [];
    const parts = [
      at,
      state,
      since === undefined ? "" : formatElapsed(since, now),
    ];
    return [[...parts, text].join("  ")];
  });
  const budgets = fanOuts.filter(({ open }) => open).map((one) => {
    const text = budgetLine(one);
    return text.length <= columns ? text : budgetLine(one, true);
  });
  return [...steps, ...budgets];
}

/** Formats the budget of a fan-out. `isShort`: `1/2 failed` instead of `1 failed (limit 2)`. */
function budgetLine(fanOut: FanOutShown, isShort = false): string {
  const { path, nodes, ended, inFlight, unavailable, failures } = fanOut;
  const { maxUnavailable, maxFailures, atOnce, batch = 0, batches } = fanOut;
  const figure = (count: number, what: string, limit: number | undefined) =>
    limit === undefined
      ? `${count} ${what}`
      : isShort
      ? `${count}/${limit} ${what}`
      : `${count} ${what} (limit ${limit})`;
  return [
    `${path} ${ended}/${nodes}`,
    ...batches === undefined ? [] : [`batch ${batch} of ${batches}`],
    figure(inFlight, "in flight", atOnce),
    figure(unavailable, "unavailable", maxUnavailable),
    figure(failures, "failed", maxFailures),
  ].join("  ");
}

/** Makes the row of a node. `run`: for the reason why queued nodes wait. */
export function toRow(
  one: NodeShown,
  run: RunShown,
  now: number,
): NodeRow {
  const { node, role, state, since, ended, from, to, text } = one;
  return {
    node,
    role,
    state,
    step: stepText(one),
    version: versionText(from, to),
    ...since === undefined ? {} : { time: formatElapsed(since, ended ?? now) },
    text: text === "" && state === "queued" ? turnText(one, run) : text,
  };
}

/** Stage and step; for nodes that wait for a stage, the stage. */
function stepText({ path, step, state, from, role }: NodeShown): string {
  if (state === "done" || state === "not-reached") return "";
  // Without a plan there is only one stage.
  if (from === undefined && role === undefined) return step;
  return step === "" ? path : `${path} ${step}`;
}

/** Reason why a queued node waits: nodes before it, or the stage before its own. */
function turnText({ node, path }: NodeShown, run: RunShown): string {
  const { nodes, fanOuts, stages, ended } = run;
  if (ended !== undefined) return "";
  const open = fanOuts.find((one) => one.path === path)?.open === true;
  if (!open) {
    const on = stages.find(({ state }) =>
      state === "running" || state === "waiting"
    );
    return on === undefined || isWithin(path, on.path)
      ? ""
      : `after ${on.path}`;
  }
  const first = nodes.find((one) =>
    one.path === path && one.state === "queued"
  );
  if (first?.node !== node) return "";
  const inside = nodes.filter((one) =>
    one.path === path && (one.state === "running" || one.state === "waiting")
  );
  return inside.length === 0
    ? ""
    : `next, after ${inside.map((one) => one.node).join(", ")}`;
}
