/** Check for commands outside runs that no run has the lock on the cluster. */

import { LockedError, OsctlError } from "../../../errors.ts";
import type { Kubernetes } from "../../kubernetes/client.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { RunPlaces } from "../store/run_paths.ts";
import { listRuns } from "../store/run_folder.ts";
import { isGone, isRefusal, parseHolder } from "./holder.ts";
import { readLease } from "./lease.ts";
import { isClusterLocked } from "./local_lock.ts";
import { watchHolder } from "./watch_holder.ts";

/** Name of the rule for `--allow`. */
export const lockAllowance = "cluster-lock";

/** Parameters of the check. */
export interface LockQuestion {
  /** Folders of runs and locks on this machine; raises an error if there is no home. */
  readonly places: () => Pick<RunPlaces, "runs" | "locks">;
  /** Reads the id of the cluster; `undefined` if no node reports it. */
  readonly cluster: () => Promise<string | undefined>;
  /** Connects to Kubernetes as an administrator. */
  readonly kubernetes: () => Promise<Kubernetes>;
  readonly clock: OperationClock;
  readonly note: (text: string) => void;
  /** Aborts the wait for a process that may have exited. */
  readonly signal: AbortSignal;
  /** Run that started this process; absent if none did. */
  readonly run: string | undefined;
}

/** Timeout for nodes and Kubernetes, in milliseconds. */
const longestMs = 5_000;

/**
 * Refuses while a run has the lock on the cluster, on this machine or in Kubernetes.
 *
 * If neither nodes nor Kubernetes answer, there is no lock, as for runs. A stopped run that can be resumed does not
 * count: nodes may need a repair before it resumes.
 *
 * @throws {LockedError} Naming the holder.
 */
export async function refuseLocked(question: LockQuestion): Promise<void> {
  for (const ask of [refuseHere, refuseElsewhere]) {
    try {
      // A lock on this machine needs no Kubernetes.
      await ask(question);
    } catch (error) {
      if (!(error instanceof OsctlError) || isRefusal(error)) throw error;
    }
  }
}

async function refuseElsewhere(question: LockQuestion): Promise<void> {
  const { clock, note, signal, run = "" } = question;
  const connected = await inTime(question.kubernetes());
  if (connected === undefined) return;
  const read = () => readLease(connected, AbortSignal.timeout(longestMs));
  const known = await read();
  if (known === undefined || known.holder === "") return;
  const { run: other, shown } = parseHolder(known.holder);
  if (other === run || isGone(known.holder)) return;
  const aged = clock.now() - known.renewedAt;
  if (aged >= 0 && aged < known.durationMs) throw lockedBy(shown);
  // It may be alive although its clock differs: it would renew its lock four times meanwhile.
  await watchHolder(known, { read, clock, run, note, signal });
}

async function refuseHere(
  { places, cluster, run }: LockQuestion,
): Promise<void> {
  const { locks, runs } = places();
  let id = "";
  const readId = async () => id = await inTime(cluster()) ?? "";
  if (!await isClusterLocked(locks, readId)) return;
  const held = (await listRuns(runs, id)).filter(({ held }) => held);
  if (held.some(({ header }) => header.id === run)) return;
  const [one] = held;
  throw lockedBy(
    one === undefined
      ? "a process on this machine"
      : `${one.header.id} (${one.header.runbook}) @ ${one.header.operator}`,
  );
}

function lockedBy(who: string): LockedError {
  return new LockedError(`A run has locked the cluster: ${who} (S18)`, {
    hint:
      `Wait for it, or check it with: osctl runbook status; --allow ${lockAllowance} overrides this`,
  });
}

/** The result if it arrives in time, else `undefined`. */
async function inTime<T>(asked: Promise<T>): Promise<T | undefined> {
  // A late failure must not be an unhandled rejection.
  asked.catch(() => {});
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), longestMs);
  try {
    return await Promise.race([asked, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
