import { ConfigError, type OsctlError, RefusedError } from "../../errors.ts";
import { isUnfinished } from "../../workflows/runbooks/store/run_condition.ts";
import {
  findRun,
  type SurveyedRun,
  surveyRuns,
} from "../../workflows/runbooks/store/find_run.ts";
import {
  hasVault,
  measureSize,
  removeRun,
} from "../../workflows/runbooks/store/remove_run.ts";
import {
  bytesText,
  type Command,
  type Context,
  headedTable,
  integer,
  relativeTime,
  rest,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { findPlaces } from "../../workflows/runbooks/store/run_paths.ts";
import {
  type HistoryRow,
  historyRow,
} from "../../workflows/runbooks/report/history_row.ts";
import { span } from "./_flags/days_flag.ts";

/** A run to remove. */
interface GcRow extends
  Pick<
    HistoryRow,
    "run" | "runbook" | "cluster" | "state" | "startedAt" | "endedAt"
  > {
  readonly bytes: number;
  readonly removed: boolean;
}

const dayMs = 24 * 3_600_000;

const inputs = {
  olderThan: span(
    "only runs that finished longer ago than this duration",
    30 * dayMs,
  ),
  keep: integer("number of newest runs to keep", {
    initial: 10,
    least: 0,
  }),
  unfinished: toggle("also remove unfinished and damaged runs"),
  secrets: toggle(
    "also remove runs whose vault has secrets that were not exported",
  ),
  dryRun: toggle("only show what would be removed"),
  runs: rest("ids of runs to remove; default all that are old enough", {
    complete: "runs",
  }),
};

type GcInputs = Values<typeof inputs>;

export const command = {
  summary: "Remove old runs from this machine",
  description:
    `Always keeps the newest runs (--keep), and everything that may still be needed:

- running runs, always;
- unfinished and unreadable runs, unless --unfinished is given;
- runs whose vault has secrets that were not exported, unless --secrets is given.

The vault key is destroyed first. Runs given as arguments are removed regardless of age. Nodes are not changed.`,
  inputs,
  writes: true,
  examples: [
    "runbook gc --dry-run",
    "runbook gc --older-than 7d --keep 3",
    "runbook gc 20261120-7k2f",
  ],
  // Kept runs are reported with the reason.
  empty: false,
  view: (_, { now }) =>
    headedTable<GcRow>({
      RUN: ({ run }) => run,
      RUNBOOK: ({ runbook }) => runbook,
      CLUSTER: ({ cluster }) => cluster,
      STATE: ({ state }) => state,
      STARTED: {
        cell: ({ startedAt }) => relativeTime(startedAt, now()),
        value: ({ startedAt }) => startedAt,
      },
      SIZE: {
        cell: ({ bytes }) => bytesText(bytes),
        value: ({ bytes }) => bytes,
      },
      REMOVED: ({ removed }) => removed ? "yes" : "no",
    }),
  async *run(context) {
    const { input, environment, note } = context;
    const { runs, keys } = findPlaces(environment);
    const all = await Array.fromAsync(surveyRuns(runs));
    const chosen = input.runs.length > 0
      ? await namedRuns(runs, all, input.runs)
      : oldRuns(all, context);
    for (const surveyed of chosen) {
      const { header: { id }, folder } = surveyed;
      const reason = await keptBecause(surveyed, input);
      if (reason !== undefined) {
        if (input.runs.length > 0) throw reason;
        note(reason.message);
        continue;
      }
      const bytes = await measureSize(folder);
      if (!input.dryRun) {
        await removeRun({ folder, id, keyFile: `${keys}/${id}` });
      }
      yield toRow(surveyed, bytes, context);
    }
  },
} satisfies Command<GcRow, GcInputs>;

/** Resolves all names before the first run is removed. */
async function namedRuns(
  runs: string,
  all: readonly SurveyedRun[],
  words: readonly string[],
): Promise<readonly SurveyedRun[]> {
  const ids = new Set<string>();
  for (const word of words) ids.add(await findRun(runs, word));
  return all.filter(({ header }) => ids.has(header.id));
}

function oldRuns(
  all: readonly SurveyedRun[],
  { input: { olderThan, keep, unfinished }, environment }: Context<GcInputs>,
): readonly SurveyedRun[] {
  const limit = environment.now().getTime() - olderThan;
  return all.slice(keep).filter(({ header, run }) => {
    if (run?.held) return false;
    const isEnded = run !== undefined && !isUnfinished(run);
    const { endedAt = "", lastAt = "" } = run?.history ?? {};
    const end = Date.parse(endedAt || lastAt || header.at);
    return (isEnded || unfinished) && end < limit;
  });
}

/** The reason to keep a run; `undefined` if it may be removed. */
async function keptBecause(
  { header: { id }, folder, run }: SurveyedRun,
  { unfinished, secrets }: GcInputs,
): Promise<OsctlError | undefined> {
  if (run?.held) {
    return new RefusedError(`Run "${id}" is running in another process`, {
      hint: `Stop it with: osctl runbook stop ${id}`,
    });
  }
  if (!unfinished && (run === undefined || isUnfinished(run))) {
    const why = run === undefined
      ? "cannot be read and may be unfinished"
      : "has not finished";
    return new RefusedError(`Run "${id}" ${why}`, {
      hint: `Abort it with: osctl runbook abort ${id} --reason "…"`,
      alternatives: ["Or pass --unfinished"],
    });
  }
  const made = run?.history.secrets ?? 1;
  if (secrets || made === 0 || !await isOpenable(folder)) return undefined;
  return new RefusedError(
    `The vault of run "${id}" has secrets that were not exported`,
    { hint: "Export them, or pass --secrets to delete them" },
  );
}

/** An unreadable run may still be valuable. */
async function isOpenable(folder: string): Promise<boolean> {
  try {
    return await hasVault(folder);
  } catch (error) {
    if (error instanceof ConfigError) return true;
    throw error;
  }
}

function toRow(
  surveyed: SurveyedRun,
  bytes: number,
  { input, environment }: Context<GcInputs>,
): GcRow {
  const { run, runbook, cluster, state, startedAt, endedAt } = historyRow(
    surveyed,
    environment.now(),
  );
  const removed = !input.dryRun;
  return { run, runbook, cluster, state, startedAt, endedAt, bytes, removed };
}
