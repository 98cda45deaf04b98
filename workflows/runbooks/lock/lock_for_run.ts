import { lockCluster, refuseUnfinished } from "./local_lock.ts";
import { listRuns } from "../store/run_folder.ts";
import type { Runbook } from "../runbook.ts";
import { parseDuration } from "../../../lib/duration.ts";
import { UsageError } from "../../../errors.ts";
import type { Environment } from "../../../terminal/environment.ts";
import type { RunPlaces } from "../store/run_paths.ts";

/**
 * Locks a cluster on this machine, for runbooks that lock it.
 *
 * @throws {LockedError} If another process has it, or another run is unfinished.
 */
export async function lockFor(
  { policy }: Runbook,
  { places, cluster, except }: {
    readonly places: RunPlaces;
    readonly cluster: string;
    readonly except: readonly (string | undefined)[];
  },
): Promise<Disposable> {
  if (policy.lock === "none") return { [Symbol.dispose]() {} };
  const runs = () => listRuns(places.runs, cluster);
  const lock = await lockCluster(places.locks, cluster, runs);
  try {
    const ids = except.filter((one) => one !== undefined);
    refuseUnfinished(
      await runs(),
      cluster,
      new Set(ids),
    );
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
  return lock;
}

/** Minimum lease duration, in milliseconds: Kubernetes counts in seconds. */
const shortestMs = 1_000;

/**
 * Lease duration of a cluster lock from `$OSCTL_LEASE_DURATION`.
 *
 * @returns Milliseconds; `undefined` if not set.
 * @throws {UsageError} If it is not a duration in whole seconds.
 */
export function parseLeaseMs(
  { env }: Pick<Environment, "env">,
): number | undefined {
  const text = env("OSCTL_LEASE_DURATION");
  if (!text) return undefined;
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= shortestMs && ms % 1_000 === 0) return ms;
  throw new UsageError(
    `Cannot use "${text}" in OSCTL_LEASE_DURATION: it is not a duration in whole seconds`,
    { hint: "Omit it, or use 60s" },
  );
}
