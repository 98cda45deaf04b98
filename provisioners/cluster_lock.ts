/** Lock for creating and destroying a cluster. */

import { exists } from "../lib/files/exists.ts";
import { LockedError } from "../errors.ts";
import { findProcess, lockFolder } from "./background.ts";
import { type ClusterLocation, joinFolder } from "./state.ts";

/** Operation that holds the lock. */
type ClusterWork = "create" | "destroy";

/** Separate from the lock of the background process. */
const lockFile = ".lock";

/**
 * Locks a cluster that has a folder; the system releases the lock when this process exits.
 *
 * @throws {LockedError} If another process holds the lock.
 */
export async function lockCluster(
  place: ClusterLocation,
  work: ClusterWork,
): Promise<Disposable> {
  const folder = joinFolder(place);
  const lock = await lockFolder(folder, lockFile);
  // Another process may have destroyed the cluster while it held the lock.
  if (lock !== undefined && await exists(folder)) return lock;
  lock?.close();
  throw lockedError(place, work, await findProcess(folder, lockFile));
}

/** Throws LockedError if another process is creating or destroying the cluster. */
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
