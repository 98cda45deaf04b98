/** One process at a time creates or destroys a cluster. */

import { exists } from "../lib/files/exists.ts";
import { LockedError } from "../errors.ts";
import { findProcess, lockFolder } from "./background.ts";
import { type ClusterLocation, joinFolder } from "./state.ts";

/** What a process does with a cluster while no other may create or destroy it. */
type ClusterWork = "create" | "destroy";

/** Apart from the lock of the process that serves a cluster. */
const lockFile = ".lock";

/**
 * Locks a cluster that has a folder; the system gives the lock back when this process dies.
 *
 * @throws {LockedError} If another process has it.
 */
export async function lockCluster(
  place: ClusterLocation,
  work: ClusterWork,
): Promise<Disposable> {
  const folder = joinFolder(place);
  const lock = await lockFolder(folder, lockFile);
  // Whoever destroyed the cluster meanwhile had the lock until its folder was gone.
  if (lock !== undefined && await exists(folder)) return lock;
  lock?.close();
  throw lockedError(place, work, await findProcess(folder, lockFile));
}

/** Throws LockedError if another process creates or destroys a cluster. */
export async function refuseLocked(
  place: ClusterLocation,
  work: ClusterWork,
): Promise<void> {
  const pid = await findProcess(joinFolder(place), lockFile);
  if (pid !== undefined) throw lockedError(place, work, pid);
}

function lockedError(
  { name }: ClusterLocation,
  work: ClusterWork,
  pid: number | undefined,
): LockedError {
  const who = pid === undefined ? "another process" : `process ${pid}`;
  return new LockedError(
    `Cannot ${work} cluster "${name}": ${who} is creating or destroying it`,
    {
      hint: pid === undefined
        ? "Wait until it has finished"
        : `Wait until it has finished, or end it with: kill ${pid}`,
    },
  );
}
