/** Output of a run as the rows of a command: events or the report, in every format, and requested files. */

import { systemReason } from "../../../lib/files/system_reason.ts";
import type { RunEvent, RunReport } from "../event.ts";
import type { StepWords } from "./activity.ts";
import { type ReportDocument, reportDocument } from "./buckets.ts";
import { junit } from "./junit.ts";
import { reportParts, reportText } from "./report_text.ts";
import type { Format } from "../../../terminal/format.ts";
import type { TextView } from "../../../terminal/view.ts";
import { foldRun, RunState } from "./run_state.ts";
import { runDisplay, type ShownRun } from "./show_run.ts";

/** Row of a command that runs a runbook: events with `jsonl`, the report for people, or for programs. */
export type RunRow =
  | RunEvent
  | (RunReport & { readonly words?: StepWords })
  | ReportDocument;

/** A run in progress. */
export interface WatchedRun {
  /** Its events, from start to end. */
  readonly events: AsyncIterable<RunEvent>;
  /** Its report; called after the last event. */
  readonly report: () => Promise<RunReport>;
}

interface WatchRunOptions extends ShownRun {
  readonly format: Format;
  /** Start of a run that is resumed, ISO 8601; empty or absent for a new one. */
  readonly startedAt?: string;
  /** Writes each event as a line of JSON, with a newline; a failure is reported once and does not stop the run. */
  readonly eventsFile?: (line: string) => Promise<void>;
  /** Events of its earlier processes, for that report; default none. */
  readonly earlier?: readonly RunEvent[];
  /** Writes the report as JUnit XML, after the end. */
  readonly junitFile?: (text: string) => Promise<void>;
}

/** Text view of rows: the final report. */
export const runView: TextView<RunRow> = {
  kind: "text",
  // Rows are events only with `jsonl`, and the other report is only for programs; neither is drawn.
  render: (row, _, columns) => "targets" in row ? reportText(row, columns) : "",
  gather: false,
  parts: reportParts,
};

/**
 * Watches a run until its end.
 *
 * @returns Its events with `jsonl`; else the report, once it has finished.
 * @throws Errors of the events.
 */
export async function* watchRun(
  { events, report }: WatchedRun,
  options: WatchRunOptions,
): AsyncGenerator<RunRow> {
  const { format, junitFile } = options;
  const isStream = format.kind === "jsonl";
  const state = new RunState(options.startedAt);
  const account = junitFile && foldRun(options.earlier ?? []);
  const display = isStream ? undefined : runDisplay(options, state);
  const keep = options.eventsFile === undefined
    ? undefined
    : keeper(options.eventsFile, options.note);
  try {
    for await (const event of events) {
      await keep?.(event);
      state.take(event);
      account?.take(event);
      display?.take(event);
      if (isStream) yield event;
    }
  } finally {
    await display?.end();
  }
  if (account !== undefined) await junitFile?.(junit(account));
  if (isStream) return;
  const ended = await report();
  yield format.kind === "table"
    ? { ...ended, words: state.words() }
    : reportDocument(ended);
}

/** Writes events until a write fails; the run continues either way. */
function keeper(
  write: (line: string) => Promise<void>,
  note: (text: string) => void,
): (event: RunEvent) => Promise<void> {
  let broken = false;
  return async (event) => {
    if (broken) return;
    try {
      await write(`${JSON.stringify(event)}\n`);
    } catch (error) {
      broken = true;
      const why = systemReason(error);
      note(`warning: events are no longer written: ${why}`);
    }
  };
}
