/** One run for a cluster at a time. */

import { locateRunLocks, locateRuns } from "../../../config/location.ts";
import {
  lockCluster,
  refuseUnfinished,
} from "../../../workflows/runbooks/hold/local_lock.ts";
import { listRuns } from "../../../workflows/runbooks/run/run_folder.ts";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";
import type { Context } from "../../_kit/command.ts";
import type { RunFlags } from "./run_flags.ts";

/**
 * Locks a cluster on this machine, for runbooks that lock it.
 *
 * @param runbook What is to be done.
 * @param cluster Id of the cluster.
 * @param context Flags and the world.
 * @param id Run that goes on; absent for a new one.
 * @throws {HeldError} If another process has it, or another run has not ended.
 */
export async function lockFor(
  { policy }: Runbook,
  cluster: string,
  { world: { env }, input: { supersede } }: Context<
    Pick<RunFlags, "supersede">
  >,
  id?: string,
): Promise<Disposable> {
  if (policy.lock === "none") return { [Symbol.dispose]() {} };
  const lock = await lockCluster(locateRunLocks(env), cluster);
  try {
    const runs = await listRuns(locateRuns(env));
    const except = [id, supersede].filter((one) => one !== undefined);
    refuseUnfinished(runs, cluster, new Set(except));
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
  return lock;
}
