/** One run for a cluster at a time. */

import {
  lockCluster,
  refuseUnfinished,
} from "../../../workflows/runbooks/hold/local_lock.ts";
import { listRuns } from "../../../workflows/runbooks/run/run_folder.ts";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";
import type { RunPlaces } from "./places.ts";

/** What is locked, and for whom. */
export interface LockRequest {
  /** Where locks and runs are. */
  readonly places: RunPlaces;
  /** Id of the cluster. */
  readonly cluster: string;
  /** Runs that may be unfinished: the one that goes on, and the one whose place is taken. */
  readonly except: readonly (string | undefined)[];
}

/**
 * Locks a cluster on this machine, for runbooks that lock it.
 *
 * @param runbook What is to be done.
 * @param request What is locked, and for whom.
 * @throws {HeldError} If another process has it, or another run has not ended.
 */
export async function lockFor(
  { policy }: Runbook,
  { places, cluster, except }: LockRequest,
): Promise<Disposable> {
  if (policy.lock === "none") return { [Symbol.dispose]() {} };
  const lock = await lockCluster(places.locks, cluster);
  try {
    const ids = except.filter((one) => one !== undefined);
    refuseUnfinished(
      await listRuns(places.runs, cluster),
      cluster,
      new Set(ids),
    );
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
  return lock;
}
