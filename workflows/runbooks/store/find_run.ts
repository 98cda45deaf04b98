import { ConfigError, exitStatus } from "../../../errors.ts";
import { isUnfinished } from "./run_condition.ts";
import {
  artifactsIn,
  type ListedRun,
  readRun,
  runFolder,
} from "./run_folder.ts";
import { mapInChunks } from "./map_in_chunks.ts";
import { readRunbook, type RunHeader, surveyHeaders } from "./run_header.ts";
import { listSkipped } from "../journal/resume_state.ts";
import type { RunReport } from "../event.ts";
import { residueList } from "../journal/residue.ts";
import { listTargets } from "../journal/targets.ts";
import type { RunPlaces } from "./run_paths.ts";

/** Name for the run that was started last. */
export const lastRun = "last";

/** A run whose journal may be damaged. */
export interface SurveyedRun {
  readonly header: RunHeader;
  readonly folder: string;
  /** The run; absent when it cannot be read. */
  readonly run?: ListedRun;
  /** Reason why it cannot be read; absent if it can. */
  readonly problem?: string;
}

/**
 * All runs, newest first; a damaged run does not hide others. Later ones are only read when the caller continues.
 *
 * @param runs Folder of all runs; may be missing.
 */
export async function* surveyRuns(runs: string): AsyncGenerator<SurveyedRun> {
  const { headers, damaged } = await surveyHeaders(runs);
  yield* mapInChunks(headers, async (header): Promise<SurveyedRun> => {
    const found = { header, folder: runFolder(runs, header.id) };
    try {
      return { ...found, run: await readRun(runs, header.id) };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return { ...found, problem: error.message };
    }
  });
  yield* mapInChunks(damaged, async ({ folder, problem }) => ({
    header: await placeholder(folder),
    folder,
    problem,
  }));
}

/** Placeholder for an unreadable run: its id is the name of the folder, and its time is approximate. */
async function placeholder(folder: string): Promise<RunHeader> {
  const { mtime } = await Deno.stat(folder);
  return {
    v: 1,
    id: folder.slice(folder.lastIndexOf("/") + 1),
    runbook: "",
    source: "",
    files: {},
    ir: "",
    inputs: {},
    context: "",
    cluster: { id: "", name: "" },
    operator: "",
    version: "",
    at: (mtime ?? new Date(0)).toISOString(),
  };
}

/**
 * Finds the id of a run.
 *
 * @param runs Folder of all runs; may be missing.
 * @param word An id, a unique prefix, or `last`; omitted, the only run that is running, else unfinished, else the only run.
 * @param findContext Finds the name of the current context, whose only unfinished run is preferred.
 * @throws {ConfigError} If no run or several runs match.
 */
export async function findRun(
  runs: string,
  word: string | undefined,
  findContext?: () => Promise<string>,
): Promise<string> {
  const { headers: readable, damaged } = await surveyHeaders(runs);
  const headers = [
    ...readable,
    ...await Promise.all(damaged.map(({ folder }) => placeholder(folder))),
  ];
  if (word === undefined) return await onlyRun(runs, headers, findContext);
  if (word === lastRun) {
    const [newest] = headers;
    if (newest !== undefined) return newest.id;
    throw none();
  }
  // Refuses characters that are not part of an id.
  runFolder(runs, word);
  if (headers.some(({ id }) => id === word)) return word;
  const found = headers.filter(({ id }) =>
    id.startsWith(word) || id.endsWith(`-${word}`)
  );
  const [one, ...others] = found;
  if (one === undefined) throw none(word);
  if (others.length > 0) {
    throw several(`"${word}" matches ${found.length} runs`, found);
  }
  return one.id;
}

async function onlyRun(
  runs: string,
  headers: readonly RunHeader[],
  findContext?: () => Promise<string>,
): Promise<string> {
  const [first, ...others] = headers;
  if (first === undefined) throw none();
  if (others.length === 0) return first.id;
  const open = (await Array.fromAsync(surveyRuns(runs))).filter(({ run }) =>
    run === undefined || run.held || isUnfinished(run)
  );
  const running = open.filter(({ run }) => run?.held);
  const candidates = running.length > 0 ? running : open;
  const [one, ...more] = candidates;
  if (one !== undefined && more.length === 0) return one.header.id;
  const name = more.length > 0 ? await findContext?.() : undefined;
  const [here, ...moreHere] = candidates.filter(({ header }) =>
    // That of a damaged run is empty.
    header.context !== "" && header.context === name
  );
  if (here !== undefined && moreHere.length === 0) return here.header.id;
  const among = more.length > 0 ? open.map(({ header }) => header) : headers;
  const text = more.length > 0
    ? `${open.length} runs are unfinished`
    : `There are ${headers.length} runs, and all have finished`;
  throw several(text, among);
}

function none(word?: string): ConfigError {
  const text = word === undefined
    ? "There are no runs"
    : `Cannot find run "${word}"`;
  return new ConfigError(text, {
    hint: word === undefined
      ? "Start one with: osctl runbook run <runbook>"
      : "List them with: osctl runbook history",
  });
}

const most = 5;

function several(text: string, headers: readonly RunHeader[]): ConfigError {
  const names = headers.slice(0, most).map(({ id, runbook }) =>
    `${id} (${runbook || "damaged"})`
  );
  const rest = headers.length > most ? ", ..." : "";
  return new ConfigError(text, {
    hint: `Name one: ${names.join(", ")}${rest}, or "${lastRun}"`,
  });
}

/**
 * Finds the run of a key.
 *
 * @returns Its id; `undefined` if no run has the key.
 * @throws {ConfigError} If an unreadable run may have it.
 */
export async function runOfKey(
  { runs }: Pick<RunPlaces, "runs">,
  key: string,
): Promise<string | undefined> {
  const { headers, damaged: [damaged] } = await surveyHeaders(runs);
  const id = headers.find((header) => header.key === key)?.id;
  if (id !== undefined || damaged === undefined) return id;
  throw new ConfigError(damaged.problem, {
    hint:
      `It may belong to the run with key "${key}"; if not, remove it: ${damaged.folder}`,
  });
}

/**
 * Reads the report of a run that has succeeded.
 *
 * @returns `undefined` if it has not.
 * @throws {ConfigError} If its runbook was changed.
 */
export async function readSuccess(
  { folder, header, history }: ListedRun,
): Promise<RunReport | undefined> {
  const { end, startedAt, endedAt } = history;
  if (end?.state !== "succeeded") return undefined;
  const runbook = await readRunbook(folder, header, history.rebased);
  return {
    run: header.id,
    runbook: header.runbook,
    cluster: header.cluster.name,
    state: "succeeded",
    status: exitStatus.ok,
    startedAt,
    endedAt,
    // A run that has succeeded has only these.
    targets: listTargets(runbook, history)
      .map((target) => ({ ...target, state: "done" })),
    skipped: listSkipped(history),
    residue: residueList(history.residue),
    artifacts: await artifactsIn(folder),
    outputs: end.outputs ?? {},
  };
}
