import { cleanupText } from "../runbooks/report/report_text.ts";
import { layOut } from "../../terminal/table.ts";
import { between, spanText } from "../runbooks/report/span.ts";
import {
  isGood,
  type RehearsalReport,
  type RehearsedRun,
  tally,
} from "./rehearsal_report.ts";
import type { InjectedFault } from "./faults/fault.ts";
import { type InvariantId, invariants } from "./invariants/invariant.ts";

const mostRuns = 20;

/**
 * Formats the report: the counts, every invariant, and the runs that were not as expected.
 *
 * @param columns Width of the terminal; omitted for no limit.
 * @returns Text with newlines; the last line is the command that repeats the first failed run, if any.
 */
export function rehearsalText(
  report: RehearsalReport,
  columns?: number,
): string {
  const { runbook, cluster, seed, runs, tookMs } = report;
  const bad = runs.filter((run) => !isGood(run));
  const virtual = runs.reduce((sum, { virtualMs }) => sum + virtualMs, 0);
  const again = bad.find((run) => run.again !== undefined)?.again;
  const parts = [
    [
      `${runbook} rehearsed on ${cluster}, seed ${seed}`,
      `${runs.length} ${runs.length === 1 ? "run" : "runs"}, ${
        bad.length === 0 ? "all as expected" : `${bad.length} not as expected`
      }; ${spanText(virtual)} of virtual time in ${spanText(tookMs)}`,
    ],
    ["Invariants", invariantTable(runs, columns)],
    ...(runs.length === 1 ? runs : bad.slice(0, mostRuns))
      .map((run) => runLines(run)),
    bad.length > mostRuns ? [`and ${bad.length - mostRuns} more`] : [],
    again === undefined ? [] : ["Reproduce the first one with", again],
  ];
  return parts.filter(({ length }) => length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(""))
    .join("\n");
}

function invariantTable(
  runs: readonly RehearsedRun[],
  columns: number | undefined,
): string {
  const rows = tally(runs).map(({ id, held, violated, unchecked }) => {
    const checked = runs.length - unchecked;
    const said = violated > 0
      ? `VIOLATED in ${violated} of ${checked}`
      : held > 0
      ? `held in ${held}`
      : "not checked";
    return [`  ${id}`, said, invariants[id]];
  });
  const limits = { gap: 2, columns };
  return layOut(rows, limits, { widths: [5, 20] }).text.trimEnd();
}

function runLines(run: RehearsedRun): readonly string[] {
  const broken = run.invariants.filter(({ state }) => state === "violated");
  return [
    `Run ${run.name}: ${formatEnding(run)} after ${spanText(run.virtualMs)}`,
    ...failureLines(run),
    ...run.faults.map((fault) =>
      `  injected ${faultText(fault, run.events[0]?.ts)}`
    ),
    ...run.problems.map((problem) => `  ${problem}`),
    ...broken.flatMap(({ id, evidence }) => [
      `  ${violationText(id)}`,
      ...evidence.map((line) => `    ${line}`),
    ]),
  ];
}

function failureLines({ report }: RehearsedRun): readonly string[] {
  const { failure, cleanup = [] } = report ?? {};
  const failed = failure === undefined ? [] : [
    `  ${
      failure.step === "" ? "" : `${failure.step}: `
    }${failure.code}: ${failure.message}`,
  ];
  return [...failed, ...cleanup.map((one) => `  ${cleanupText(one)}`)];
}

/** Formats the result of a run. */
export function formatEnding({ report }: RehearsedRun): string {
  return report === undefined
    ? "interrupted"
    : `${report.state}, status ${report.status}`;
}

function violationText(id: InvariantId): string {
  return `${id} violated: ${invariants[id]}`;
}

/**
 * Formats a fault: what was injected, when and where.
 *
 * @param started When the run started, ISO 8601; if omitted, times are absolute.
 */
export function faultText(fault: InjectedFault, startedAt?: string): string {
  const { at, until, path, node, record } = fault;
  if (at === undefined) return `${fault.fault}: never triggered`;
  const since = (ts: string) =>
    startedAt === undefined ? ts : between(startedAt, ts);
  const where = [
    path === undefined ? "" : `at ${path}`,
    node === undefined ? "" : `on ${node}`,
    record === undefined ? "" : `at record ${record}`,
  ].filter((part) => part !== "").join(" ");
  const time = until === undefined
    ? since(at)
    : `${since(at)} to ${since(until)}`;
  return `${fault.fault}: ${
    [time, where].filter((part) => part !== "").join(", ")
  }`;
}
