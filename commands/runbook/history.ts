import { locateRuns } from "../../config/osconfig/location.ts";
import { spanText } from "../../workflows/runbooks/report/span.ts";
import { conditions } from "../../workflows/runbooks/store/run_condition.ts";
import {
  type SurveyedRun,
  surveyRuns,
} from "../../workflows/runbooks/store/find_run.ts";
import {
  type Command,
  type Flag,
  headedTable,
  InputProblem,
  integer,
  progressTone,
  relativeTime,
  strings,
  text,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import {
  type HistoryRow,
  historyRow,
} from "../../workflows/runbooks/report/history_row.ts";
import type { Runbook } from "../../workflows/runbooks/runbook.ts";
import { isWhole } from "../../workflows/runbooks/journal/targets.ts";
import { readRunbook } from "../../workflows/runbooks/store/run_header.ts";
import { span } from "./_flags/days_flag.ts";

const inputs = {
  cluster: text("only runs on this cluster, by name or id"),
  runbook: text("only runs of this runbook"),
  state: states(),
  unfinished: toggle("only running and resumable runs", {
    short: "u",
  }),
  since: span("only runs started within this duration, such as 7d or 12h"),
  count: integer("maximum number of runs; 0 for all", {
    short: "n",
    initial: 0,
    least: 0,
  }),
};

type HistoryInputs = Values<typeof inputs>;

export const command = {
  summary: "List runs on this machine",
  description:
    `Newest first. A run whose process died is "interrupted"; one whose journal cannot be read is "damaged". DONE and
FAILED count nodes, each once: done with all steps of the run, or failed in one.`,
  aliases: ["runbook runs"],
  inputs,
  examples: [
    "runbook history",
    "runbook history --unfinished",
    "runbook history --state failed,blocked --since 7d -o json",
  ],
  view: (_, { now }) =>
    headedTable<HistoryRow>({
      RUN: ({ run }) => run,
      RUNBOOK: { cell: ({ runbook }) => runbook, priority: 1 },
      CLUSTER: { cell: ({ cluster }) => cluster, priority: 6 },
      STATE: {
        cell: ({ state }) => state,
        tone: ({ state }) => progressTone(state),
        priority: 1,
      },
      // The state says as much.
      STATUS: {
        cell: ({ status }) => status === null ? "" : String(status),
        priority: 7,
      },
      STARTED: {
        cell: ({ startedAt }) => relativeTime(startedAt, now()),
        value: ({ startedAt }) => startedAt,
        priority: 2,
      },
      TOOK: {
        cell: ({ tookMs }) => spanText(tookMs),
        value: ({ tookMs }) => tookMs,
        priority: 5,
      },
      DONE: { cell: ({ done }) => String(done), priority: 4 },
      FAILED: { cell: ({ failed }) => String(failed), priority: 3 },
    }),
  async *run({ input, environment, note }) {
    const now = environment.now();
    const { count } = input;
    let left = count === 0 ? Infinity : count;
    for await (const surveyed of surveyRuns(locateRuns(environment.env))) {
      const { header, problem } = surveyed;
      const row = historyRow(surveyed, now, await loadRunbook(surveyed));
      const isOn = input.cluster === undefined ||
        input.cluster === header.cluster.name ||
        input.cluster === header.cluster.id;
      if (!isOn || !isWanted(row, input, now)) continue;
      if (problem !== undefined) note(problem);
      yield row;
      if (--left <= 0) return;
    }
  },
} satisfies Command<HistoryRow, HistoryInputs>;

async function loadRunbook(
  { folder, run }: SurveyedRun,
): Promise<Runbook | undefined> {
  if (run === undefined || isWhole(run.history.end?.state)) return undefined;
  try {
    return await readRunbook(folder, run.header, run.history.rebased);
  } catch {
    // Without it the run is listed all the same.
    return undefined;
  }
}

function states(): Flag<readonly string[]> {
  const known: readonly string[] = [...conditions, "damaged"];
  const flag = strings(`only runs in these states: ${known.join(", ")}`);
  return {
    ...flag,
    parse(value, before) {
      const wanted = flag.parse(value, before);
      if (wanted.every((one) => known.includes(one))) return wanted;
      throw new InputProblem(`must be one or more of ${known.join(", ")}`);
    },
  };
}

function isWanted(
  row: HistoryRow,
  { runbook, state, unfinished, since }: HistoryInputs,
  now: Date,
): boolean {
  const agedMs = now.getTime() - Date.parse(row.startedAt);
  return (runbook === undefined || runbook === row.runbook) &&
    (state.length === 0 || state.includes(row.state)) &&
    (!unfinished || row.next !== null || row.state === "running") &&
    (since === 0 || agedMs <= since);
}
