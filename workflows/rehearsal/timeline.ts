/** Timeline of a run: a row for each node, time from left to right, and the injected faults. */

import {
  line,
  lineHeight,
  measureWidth,
  stack,
  type SvgDrawing,
  translate,
} from "./svg.ts";
import { escapeHtml } from "../runbooks/plan/page/html_page.ts";
import { type Instance, listLeaves } from "../runbooks/report/instances.ts";
import { foldRun } from "../runbooks/report/run_state.ts";
import { spanText } from "../runbooks/report/span.ts";
import type { RehearsedRun } from "./rehearsal_report.ts";
import type { InjectedFault } from "./faults/fault.ts";

/** Total width in pixels, and width of the names at the left. */
const [width, names] = [1040, 150];

const [barHeight, laneHeight] = [16, 20];

type Scale = (ts: string) => number;

/** Draws a run. `run`: must have events. */
export function timeline({ events, faults }: RehearsedRun): SvgDrawing {
  const startedAt = Date.parse(events[0]?.ts ?? "");
  const ended = Math.max(
    startedAt + 1_000,
    ...events.slice(-1).map(({ ts }) => Date.parse(ts)),
    ...faults.map(({ until, at }) =>
      Date.parse(until ?? at ?? "") || startedAt
    ),
  );
  const scale: Scale = (ts) =>
    names +
    (width - names - 4) * (Date.parse(ts) - startedAt) / (ended - startedAt);
  const end = new Date(ended).toISOString();
  const { instances } = foldRun(events);
  const rows = listRows(listLeaves([...instances.values()]), faults);
  const drawn = stack(rows.map((row) => rowPicture(row, scale, end)), 4);
  const top = lineHeight + 6;
  const resumed = events.filter(({ type }) => type === "run.resumed").slice(
    events[0]?.type === "run.resumed" ? 1 : 0,
  );
  const height = top + drawn.height + 6;
  return {
    height,
    svg: axis({ startedAt, ended }, scale, height) +
      resumed.map(({ ts }) => resumeMark(scale(ts), height)).join("") +
      translate(drawn, 0, top),
  };
}

interface TimelineRow {
  /** The node; empty for steps outside fan-outs. */
  readonly node: string;
  /** Steps, in lanes without overlaps. */
  readonly lanes: readonly (readonly Instance[])[];
  /** Its faults, with their numbers. */
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

function rowPicture(
  { node, lanes, marks }: TimelineRow,
  scale: Scale,
  end: string,
): SvgDrawing {
  const name = line(node === "" ? "cluster" : node, names - 8);
  const bars = lanes.flatMap((lane, i) =>
    lane.map((bar) => barPicture(bar, i * laneHeight, { scale, end }))
  );
  const below = lanes.length * laneHeight;
  const faults = marks.map(([number, fault]) =>
    faultMark(fault, number, { scale, y: below + laneHeight / 2 })
  );
  const count = lanes.length + (marks.length > 0 ? 1 : 0);
  return {
    height: Math.max(1, count) * laneHeight,
    svg: name + bars.join("") + faults.join(""),
  };
}

const looks: Readonly<Record<Instance["state"], string>> = {
  done: "holds",
  failed: "fails",
  indoubt: "waits",
  open: "unknown",
  skipped: "left-out",
};

function barPicture(
  bar: Instance,
  y: number,
  { scale, end }: { readonly scale: Scale; readonly end: string },
): string {
  const { path, state, startedAt, ended = end, code, message, reported } = bar;
  const x = scale(startedAt);
  const wide = Math.max(2, scale(ended) - x);
  const id = path.slice(path.lastIndexOf("/") + 1);
  const took = spanText(Date.parse(ended) - Date.parse(startedAt));
  const why = [code, message].filter((part) => part !== undefined).join(": ");
  const title = [`${path}: ${state}, ${took}`, why, ...reported]
    .filter((part) => part !== "").map(escapeHtml).join("&#10;");
  const label = measureWidth(id) + 8 > wide
    ? ""
    : `<text class="text" x="${round(x + 4)}" y="${y + 12.5}">${
      escapeHtml(id)
    }</text>`;
  return `<g><title>${title}</title><rect class="${looks[state]}" x="${
    round(x)
  }" y="${y + 0.5}" width="${
    round(wide)
  }" height="${barHeight}" rx="2"/>${label}</g>`;
}

/** Intervals between two marks of the axis, in seconds. */
const ticks = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600];

function axis(
  { startedAt, ended }: { readonly startedAt: number; readonly ended: number },
  scale: Scale,
  height: number,
): string {
  const seconds = (ended - startedAt) / 1_000;
  const step = ticks.find((tick) => seconds / tick <= 9) ?? seconds / 8;
  const marks: string[] = [];
  for (let at = 0; at <= seconds; at += step) {
    const x = scale(new Date(startedAt + at * 1_000).toISOString());
    const text = spanText(at * 1_000);
    const left = Math.min(x + 3, width - measureWidth(text));
    marks.push(
      `<path class="tick" d="M${round(x)} 0V${round(height)}"/>`,
      `<text class="quiet" x="${round(left)}" y="14">${text}</text>`,
    );
  }
  return marks.join("");
}

function resumeMark(x: number, height: number): string {
  return `<g><title>another process resumed the run</title><path class="resumed" d="M${
    round(x)
  } 18V${round(height)}"/></g>`;
}

/** Number of a fault below the steps of its node, and a line for its duration. */
function faultMark(
  { fault, at = "", until }: InjectedFault,
  number: number,
  { scale, y }: { readonly scale: Scale; readonly y: number },
): string {
  const x = round(scale(at));
  const lasted = until === undefined
    ? ""
    : `<path class="fault" d="M${x} ${y}H${round(scale(until))}"/>`;
  return `<g><title>${escapeHtml(fault)}</title>${lasted}` +
    `<circle class="fault" cx="${x}" cy="${y}" r="8"/>` +
    `<text class="number" x="${x}" y="${
      y + 4
    }" text-anchor="middle">${number}</text></g>`;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** Styles of timelines. */
export const timelineStyle =
  `svg { display: block; font: 12px ui-monospace, "DejaVu Sans Mono", monospace; }
svg text { fill: var(--text); white-space: pre; }
svg .quiet { fill: var(--quiet); }
svg .strong { font-weight: 600; }
svg rect { stroke: var(--line); fill: var(--card); }
svg .unknown { stroke: var(--quiet); stroke-dasharray: 5 3; }
svg .holds { fill: var(--soft-good); stroke: var(--good); }
svg .waits { fill: var(--soft-warn); stroke: var(--warn); }
svg .fails { fill: var(--soft-bad); stroke: var(--bad); }
svg .tick { stroke: var(--line); stroke-dasharray: 1 3; fill: none; }
svg .resumed { stroke: var(--change); stroke-width: 2; stroke-dasharray: 6 4; fill: none; }
svg .fault { stroke: var(--bad); fill: var(--bad); stroke-width: 3; }
svg .number { fill: var(--ground); font-weight: 700; }
`;
