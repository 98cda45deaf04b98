/** Timeline of a run: a row for each node, time from left to right, and the injected faults. */

import { escapeHtml } from "../runbooks/plan/page/html_page.ts";
import { type Instance, listLeaves } from "../runbooks/report/instances.ts";
import { foldRun } from "../runbooks/report/run_state.ts";
import { spanText } from "../runbooks/report/span.ts";
import type { RehearsedRun } from "./rehearsal_report.ts";
import type { InjectedFault } from "./faults/fault.ts";

/** Time as a part of the width: `42.5%`. */
type Scale = (ts: string | number) => string;

/** Renders a run. `run`: must have events. */
export function timeline({ events, faults }: RehearsedRun): string {
  const startedAt = Date.parse(events[0]?.ts ?? "");
  const ended = Math.max(
    startedAt + 1_000,
    ...events.slice(-1).map(({ ts }) => Date.parse(ts)),
    ...faults.map(({ until, at }) =>
      Date.parse(until ?? at ?? "") || startedAt
    ),
  );
  const scale: Scale = (ts) => {
    const part = (new Date(ts).getTime() - startedAt) / (ended - startedAt);
    return `${Math.round(part * 10_000) / 100}%`;
  };
  const { instances } = foldRun(events);
  const rows = listRows(listLeaves([...instances.values()]), faults);
  const resumed = events.filter(({ type }) => type === "run.resumed").slice(
    events[0]?.type === "run.resumed" ? 1 : 0,
  );
  return `<div class="timeline">
<div class="axis">
${renderTicks(startedAt, ended, scale)}${
    resumed.map(({ ts }) => renderResumed(scale(ts))).join("")
  }</div>
${rows.map((row) => renderRow(row, scale, ended)).join("")}</div>
`;
}

interface TimelineRow {
  /** The node; empty for steps outside fan-outs. */
  readonly node: string;
  /** Steps, in lanes without overlaps. */
  readonly lanes: readonly (readonly Instance[])[];
  readonly marks: readonly (readonly [number, InjectedFault])[];
}

function listRows(
  instances: readonly Instance[],
  faults: readonly InjectedFault[],
): readonly TimelineRow[] {
  const done = instances.filter(({ state }) => state !== "skipped");
  const byNode = Map.groupBy(done, ({ node = "" }) => node);
  const marks = faults.map((fault, i) => [i + 1, fault] as const)
    .filter(([, { at }]) => at !== undefined);
  const marked = marks.map(([, { node = "" }]) => node);
  return [...new Set(["", ...byNode.keys(), ...marked])].map((node) => ({
    node,
    lanes: assignLanes(byNode.get(node) ?? []),
    marks: marks.filter(([, fault]) => (fault.node ?? "") === node),
  }));
}

function assignLanes(bars: readonly Instance[]): TimelineRow["lanes"] {
  const lanes: Instance[][] = [];
  for (
    const bar of bars.toSorted((a, b) => a.startedAt < b.startedAt ? -1 : 1)
  ) {
    const free = lanes.find((lane) => {
      const last = lane.at(-1)?.ended;
      return last !== undefined && last <= bar.startedAt;
    });
    if (free === undefined) lanes.push([bar]);
    else free.push(bar);
  }
  return lanes;
}

function renderRow(
  { node, lanes, marks }: TimelineRow,
  scale: Scale,
  ended: number,
): string {
  const name = escapeHtml(node === "" ? "cluster" : node);
  const bars = lanes.map((lane) =>
    renderLane(lane.map((bar) => renderBar(bar, scale, ended)))
  );
  const faults = marks.map(([number, fault]) =>
    renderFault(fault, number, scale)
  );
  return `<strong title="${name}">${name}</strong>
<div>
${bars.join("")}${faults.length === 0 ? "" : renderLane(faults)}</div>
`;
}

function renderLane(parts: readonly string[]): string {
  return `<div class="lane">${parts.join("")}</div>\n`;
}

const looks: Readonly<Record<Instance["state"], string>> = {
  done: "holds",
  failed: "fails",
  indoubt: "waits",
  open: "unknown",
  skipped: "left-out",
};

function renderBar(
  { path, state, startedAt, ended, code, message, reported }: Instance,
  scale: Scale,
  last: number,
): string {
  const until = ended === undefined ? last : Date.parse(ended);
  const [from, to] = [scale(startedAt), scale(until)];
  const id = path.slice(path.lastIndexOf("/") + 1);
  const took = spanText(until - Date.parse(startedAt));
  const why = [code, message].filter((part) => part !== undefined).join(": ");
  const title = [`${path}: ${state}, ${took}`, why, ...reported]
    .filter((part) => part !== "").map(escapeHtml).join("&#10;");
  return `<span class="bar ${
    looks[state]
  }" title="${title}" style="left: ${from}; width: calc(${to} - ${from})">${
    escapeHtml(id)
  }</span>`;
}

/** Intervals between two marks of the axis, in seconds. */
const ticks = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600];

function renderTicks(startedAt: number, ended: number, scale: Scale): string {
  const seconds = (ended - startedAt) / 1_000;
  const step = ticks.find((tick) => seconds / tick <= 9) ?? seconds / 8;
  const marks: string[] = [];
  for (let at = 0; at <= seconds; at += step) {
    const left = scale(startedAt + at * 1_000);
    const text = spanText(at * 1_000);
    marks.push(
      `<i class="tick" style="left: ${left}"></i>`,
      `<span class="quiet" style="left: min(${left} + 3px, 100% - ${text.length}ch)">${text}</span>\n`,
    );
  }
  return marks.join("");
}

function renderResumed(left: string): string {
  return `<i class="resumed" title="another process resumed the run" style="left: ${left}"></i>\n`;
}

/** Number of a fault below the steps of its node, and a line for its duration. */
function renderFault(
  { fault, at = "", until }: InjectedFault,
  number: number,
  scale: Scale,
): string {
  const left = scale(at);
  const lasted = until === undefined
    ? ""
    : `<i class="fault" style="left: ${left}; width: calc(${
      scale(until)
    } - ${left})"></i>`;
  return `${lasted}<span class="number" title="${
    escapeHtml(fault)
  }" style="left: ${left}">${number}</span>`;
}

/** Styles of timelines. */
export const timelineStyle =
  `.timeline { position: relative; display: grid; grid-template-columns: 142px 1fr; gap: 4px 8px; padding-top: 26px;
  min-width: 560px; font: 12px/20px ui-monospace, "DejaVu Sans Mono", monospace; white-space: nowrap; }
.timeline strong, .bar { overflow: hidden; text-overflow: ellipsis; }
.axis { position: absolute; inset: 0 2px 0 150px; pointer-events: none; }
.axis *, .lane * { position: absolute; box-sizing: border-box; }
.lane { position: relative; height: 20px; margin-right: 2px; }
.tick { top: 0; bottom: 0; border-left: 1px dotted var(--line); }
.resumed { top: 18px; bottom: 0; border-left: 2px dashed var(--change); pointer-events: auto; }
.bar { height: 17px; line-height: 15px; min-width: 2px; border: 1px solid var(--line); border-radius: 2px;
  background: var(--card); }
.bar.unknown { border-color: var(--quiet); border-style: dashed; }
.bar.holds { background: var(--soft-good); border-color: var(--good); }
.bar.waits { background: var(--soft-warn); border-color: var(--warn); }
.bar.fails { background: var(--soft-bad); border-color: var(--bad); }
.fault { top: 9px; height: 3px; background: var(--bad); }
.number { top: 2px; width: 16px; height: 16px; margin-left: -8px; border-radius: 8px; background: var(--bad);
  color: var(--ground); font-weight: 700; line-height: 16px; text-align: center; }
`;
