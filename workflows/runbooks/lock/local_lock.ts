/** One run for a cluster on this machine. */

import { ConfigError, HeldError } from "../../../errors.ts";
import type { RunState } from "../event.ts";
import type { RunHistory } from "../journal/history.ts";
import { type ListedRun, readRun } from "../store/run_folder.ts";
import { sha256 } from "../store/run_header.ts";

/** States after which nobody can go on with a run. */
const closed: ReadonlySet<RunState> = new Set(["succeeded", "cancelled"]);

/** States after which a run holds up no other. */
const finished: ReadonlySet<RunState> = new Set([
  "succeeded",
  "partial",
  "cancelled",
]);

/**
 * Whether somebody can go on with a run. Of one that ended `partial` this tries the nodes again that failed; it holds up
 * no other run until then.
 */
export function canGoOn({ history }: Pick<ListedRun, "history">): boolean {
  return !isIn(closed, history);
}

/** Whether a run holds its cluster up until somebody goes on with it. */
export function isUnfinished({ history }: Pick<ListedRun, "history">): boolean {
  return history.start !== undefined && !isIn(finished, history);
}

/**
 * Whether a run of this machine is known to hold up no other any more; what it has left of a claim is none.
 *
 * @param id Id of the run, which may be one of another machine.
 */
export async function hasEnded(runs: string, id: string): Promise<boolean> {
  try {
    const { history, held } = await readRun(runs, id);
    return !held && isIn(finished, history);
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

function isIn(states: ReadonlySet<RunState>, { end }: RunHistory): boolean {
  // Written by `run.ts` of the engine.
  const state = end?.state as RunState | undefined;
  return state !== undefined && states.has(state);
}

/**
 * Locks a cluster; the system gives the lock back when this process dies.
 *
 * @param folder Folder of all locks; made if it is missing.
 * @throws {HeldError} If another process has it.
 */
export async function lockCluster(
  folder: string,
  cluster: string,
): Promise<Disposable> {
  const name = cluster.replaceAll(/[^A-Za-z0-9=_-]/g, "_");
  const lock = await lockFile(folder, name);
  if (lock !== undefined) return lock;
  throw new HeldError("Another run on this machine holds the cluster", {
    hint: "Look at it with: osctl runbook status",
  });
}

/**
 * Locks the key of an outer engine, so that two callers with the same one never begin two runs.
 *
 * @param folder Folder of all locks; made if it is missing.
 * @throws {HeldError} If another process has it.
 */
export async function lockKey(
  folder: string,
  key: string,
): Promise<Disposable> {
  const lock = await lockFile(folder, `key-${await sha256(key)}`);
  if (lock !== undefined) return lock;
  throw new HeldError(`The run with key "${key}" is under way elsewhere`, {
    hint: "Wait for it",
  });
}

/** Gives nothing when another process has it. */
async function lockFile(
  folder: string,
  name: string,
): Promise<Disposable | undefined> {
  const file = await openedIn(folder, name);
  if (await file.tryLock(true)) {
    return { [Symbol.dispose]: () => file.close() };
  }
  file.close();
  return undefined;
}

async function openedIn(folder: string, name: string): Promise<Deno.FsFile> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    return await Deno.open(`${folder}/${name}.lock`, {
      write: true,
      create: true,
      mode: 0o600,
    });
  } catch (cause) {
    throw new ConfigError(`Cannot keep locks in "${folder}"`, { cause });
  }
}

/**
 * Refuses a run while another one on the same cluster has not ended.
 *
 * @param except Runs that do not count: the one that goes on, and the one whose place is taken.
 * @throws {HeldError} Naming the one that has not ended.
 */
export function refuseUnfinished(
  runs: readonly ListedRun[],
  cluster: string,
  except: ReadonlySet<string>,
): void {
  const other = runs.find((run) =>
    run.header.cluster.id === cluster && !except.has(run.header.id) &&
    isUnfinished(run)
  );
  if (other === undefined) return;
  const { id, runbook, at } = other.header;
  throw new HeldError(
    `Run "${id}" (${runbook}, of ${at}) has not ended on this cluster`,
    {
      hint:
        `Go on with: osctl runbook resume ${id}, or take its place with --supersede ${id}`,
    },
  );
}
