/** Check for commands outside runs that no run has the lock on the cluster. */

import { LockedError, OsctlError } from "../../../errors.ts";
import type { Kubernetes } from "../../kubernetes/client.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import { exists } from "../../../lib/files/exists.ts";
import type { RunHistory } from "../journal/history.ts";
import type { RunPlaces } from "../store/run_paths.ts";
import { type ListedRun, listRuns, readRun } from "../store/run_folder.ts";
import { listHeaders } from "../store/run_header.ts";
import { isGone, isRefusal, parseHolder } from "./holder.ts";
import { readLease } from "./lease.ts";
import { isClusterLocked } from "./local_lock.ts";

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
  readonly clock: Pick<OperationClock, "now">;
  /** Run that started this process; absent if none did. */
  readonly run: string | undefined;
}

/** Timeout for nodes and Kubernetes, in milliseconds. */
const longestMs = 5_000;

/**
 * Refuses while a run has the lock on the cluster, on this machine or in Kubernetes, even if its process has exited:
 * its nodes may be rebooting.
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
  const { clock, run = "" } = question;
  const connected = await inTime(question.kubernetes());
  if (connected === undefined) return;
  const known = await readLease(connected, AbortSignal.timeout(longestMs));
  // A process that stops at a safe point is no longer the holder.
  if (known === undefined || known.holder === "") return;
  const { holder, claim, renewedAt, durationMs } = known;
  const { run: other, shown } = parseHolder(holder);
  if (other === run) return;
  const aged = clock.now() - renewedAt;
  const isFresh = aged >= 0 && aged < durationMs;
  if (isFresh && !isGone(holder)) throw lockedBy(shown);
  if (claim === "" || await hasStopped(question, claim)) return;
  throw lockedBy(
    shown,
    `It was interrupted; resume it where it was started: osctl runbook resume ${claim}`,
    `If that is impossible: osctl runbook unlock ${claim} --reason "…"`,
  );
}

/** Reports whether a run of this machine has stopped or ended, and only its Lease could not be released. */
async function hasStopped(
  { places }: LockQuestion,
  id: string,
): Promise<boolean> {
  try {
    const { history, held } = await readRun(places().runs, id);
    return !held && !isInterrupted(history);
  } catch (error) {
    // It is a run of another machine.
    if (error instanceof OsctlError) return false;
    throw error;
  }
}

async function refuseHere(
  { places, cluster, run }: LockQuestion,
): Promise<void> {
  const { locks, runs } = places();
  let known: Promise<string> | undefined;
  const readId = () => known ??= inTime(cluster()).then((id = "") => id);
  const isLocked = await isClusterLocked(locks, readId);
  // What cannot be written is named when something is.
  const hasRuns = await exists(runs) && (await listHeaders(runs)).length > 0;
  if (!isLocked && !hasRuns) return;
  const listed = await listRuns(runs, await readId());
  const held = listed.filter(({ held }) => held);
  if (held.some(({ header }) => header.id === run)) return;
  const [one] = held;
  if (isLocked) {
    throw lockedBy(
      one === undefined ? "a process on this machine" : formatRun(one),
    );
  }
  const killed = listed.find(({ header, history, held }) =>
    !held && header.id !== run && isInterrupted(history)
  );
  if (killed === undefined) return;
  const { id } = killed.header;
  throw lockedBy(
    formatRun(killed),
    `It was interrupted; resume it with: osctl runbook resume ${id}`,
    `Or abort it with: osctl runbook abort ${id} --reason "…"`,
  );
}

/** Reports whether the last process of a run has exited without recording an end, and its lock was not removed since. */
function isInterrupted({ end, lease }: RunHistory): boolean {
  return end === undefined && lease !== undefined &&
    lease.state !== "released" && lease.state !== "removed";
}

function formatRun({ header: { id, runbook, operator } }: ListedRun): string {
  return `${id} (${runbook}) @ ${operator}`;
}

function lockedBy(
  who: string,
  hint = "Wait for it, or check it with: osctl runbook status",
  ...alternatives: readonly string[]
): LockedError {
  return new LockedError(`A run has locked the cluster: ${who} (S18)`, {
    hint,
    alternatives: [
      ...alternatives,
      `Override the lock with: --allow ${lockAllowance}`,
    ],
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
