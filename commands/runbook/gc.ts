import { ConfigError, type OsctlError, RefusedError } from "../../errors.ts";
import { isUnfinished } from "../../workflows/runbooks/store/run_condition.ts";
import {
  findRun,
  type SurveyedRun,
  surveyRuns,
} from "../../workflows/runbooks/store/find_run.ts";
import {
  hasVault,
  removeRun,
  sizeOf,
} from "../../workflows/runbooks/store/remove_run.ts";
import {
  type AnyCommand,
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
import { placesOf } from "../../workflows/runbooks/store/run_paths.ts";
import {
  type HistoryRow,
  historyRow,
} from "../../workflows/runbooks/report/history_row.ts";
import { span } from "./_flags/days_flag.ts";

/** A run that is removed. */
export interface GcRow extends
  Pick<
    HistoryRow,
    "run" | "runbook" | "cluster" | "state" | "startedAt" | "endedAt"
  > {
  /** Size of its files. */
  readonly bytes: number;
  /** False with --dry-run. */
  readonly removed: boolean;
}

const dayMs = 24 * 3_600_000;

const inputs = {
  olderThan: span("only runs that ended longer ago", 30 * dayMs),
  keep: integer("newest runs that are kept in any case", {
    initial: 10,
    least: 0,
  }),
  unfinished: toggle("also runs that could be gone on with, or are damaged"),
  secrets: toggle(
    "also runs whose vault holds secrets that were not exported",
  ),
  dryRun: toggle("only show what would be removed"),
  runs: rest("runs to remove; default all that are old enough", {
    complete: "runs",
  }),
};

/** Inputs of the command. */
type GcInputs = Values<typeof inputs>;

/** `osctl runbook gc`: removes what old runs have left on this machine. */
export const command: AnyCommand = {
  summary: "Remove old runs that have ended from this machine",
  description:
    `The newest runs are kept, however old they are, and so is everything that could still be needed:

  - runs that go on, always;
  - runs that can be gone on with, and those that cannot be read, unless --unfinished is given;
  - runs whose vault still holds secrets that were not exported, unless --secrets is given.

The key of the vault is destroyed first. Runs that are named are removed whatever their age. No node is touched.`,
  inputs,
  examples: [
    "runbook gc --dry-run",
    "runbook gc --older-than 7d --keep 3",
    "runbook gc 20261120-7k2f",
  ],
  view: (_, { now }) =>
    headedTable<GcRow>({
      RUN: ({ run }) => run,
      RUNBOOK: ({ runbook }) => runbook,
      CLUSTER: ({ cluster }) => cluster,
      STATE: ({ state }) => state,
      STARTED: ({ startedAt }) => relativeTime(startedAt, now()),
      SIZE: ({ bytes }) => bytesText(bytes),
      REMOVED: ({ removed }) => removed ? "yes" : "no",
    }),
  async *run(context) {
    const { input, environment, note } = context;
    const { runs, keys } = placesOf(environment);
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
      const bytes = await sizeOf(folder);
      if (!input.dryRun) {
        await removeRun({ folder, id, keyFile: `${keys}/${id}` });
      }
      yield rowOf(surveyed, bytes, context);
    }
  },
} satisfies Command<GcRow, GcInputs>;

/** All that are named are found before the first is removed. */
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

/** Why a run is not removed; `undefined` when it may be. */
async function keptBecause(
  { header: { id }, folder, run }: SurveyedRun,
  { unfinished, secrets }: GcInputs,
): Promise<OsctlError | undefined> {
  if (run?.held) {
    return new RefusedError(`Run "${id}" goes on in another process`, {
      hint: `Stop it with: osctl runbook stop ${id}`,
    });
  }
  if (!unfinished && (run === undefined || isUnfinished(run))) {
    const why = run === undefined
      ? "cannot be read, and may not have ended"
      : "has not ended";
    return new RefusedError(`Run "${id}" ${why}`, {
      hint: `Give it up with: osctl runbook abort ${id}, or say --unfinished`,
    });
  }
  const made = run?.history.secrets.length ?? 1;
  if (secrets || made === 0 || !await isOpenable(folder)) return undefined;
  return new RefusedError(
    `The vault of run "${id}" holds secrets that were not exported`,
    { hint: "Export them, or say --secrets to lose them" },
  );
}

/** What cannot be read may well be worth something. */
async function isOpenable(folder: string): Promise<boolean> {
  try {
    return await hasVault(folder);
  } catch (error) {
    if (error instanceof ConfigError) return true;
    throw error;
  }
}

function rowOf(
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
