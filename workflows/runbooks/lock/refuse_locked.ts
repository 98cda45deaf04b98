/** Whether a run has the lock on a cluster: asked by changes that are part of none. */

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

/** What the lock is asked with. */
export interface LockQuestion {
  /** Where runs and locks of this machine are; raises that there is no home. */
  readonly places: () => Pick<RunPlaces, "runs" | "locks">;
  /** Reads the id of the cluster; `undefined` when no node tells. */
  readonly cluster: () => Promise<string | undefined>;
  /** Connects to Kubernetes as an administrator. */
  readonly kubernetes: () => Promise<Kubernetes>;
  readonly clock: OperationClock;
  readonly note: (text: string) => void;
  /** Ends the wait for a process that may be gone. */
  readonly signal: AbortSignal;
  /** Run whose program asks; absent where none does. */
  readonly run: string | undefined;
}

/** Longest wait for nodes and Kubernetes, in milliseconds. */
const longestMs = 5_000;

/**
 * Refuses while a run has the lock on the cluster, on this machine or as Kubernetes has it.
 *
 * Where neither nodes nor Kubernetes answer there is no lock, as for runs. A run that has ended for now, and can be
 * resumed, does not count: nodes may have to be repaired before.
 *
 * @throws {LockedError} Naming who has it.
 */
export async function refuseLocked(question: LockQuestion): Promise<void> {
  for (const ask of [refuseHere, refuseElsewhere]) {
    try {
      // What is held here needs no Kubernetes.
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
  // It may be alive although its clock differs: it renews its lock four times meanwhile.
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

/** What is answered in time; `undefined` when nothing is. */
async function inTime<T>(asked: Promise<T>): Promise<T | undefined> {
  // Who does not answer in time must not fail later.
  asked.catch(() => {});
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), longestMs);
  try {
    return await Promise.race([asked, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
