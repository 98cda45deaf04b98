/** The lock of a run on its cluster: taken before the first change, renewed, looked at before each, and given back. */

import { HeldError, OsctlError } from "../../../errors.ts";
import { type Kubernetes, KubernetesError } from "../../kubernetes/client.ts";
import {
  claimedError,
  holderIdentity,
  holderOf,
  isGone,
  isRefusal,
  lockedError,
  lockExpiredError,
  lockTakenError as takenBy,
  newProcess,
  outdatedCopyError,
  suspendedError,
} from "./holder.ts";
import type { ClusterLock, ClusterLockOptions } from "./cluster_lock_types.ts";
import { watchSuspension } from "./suspension.ts";
import { watchHolder } from "./watch_holder.ts";
import { leaseMs, type LeaseState, readLease, writeLease } from "./lease.ts";

/** Longest wait for the API server, in milliseconds. */
const longestMs = 5_000;

/** Makes a lock; nothing is asked before the first change. */
export function createClusterLock(options: ClusterLockOptions): ClusterLock {
  const { run, operator, clock, needed, record, note } = options;
  const { journal, signal: ending, lastsMs = leaseMs } = options;
  const { hasEnded = () => Promise.resolve(false) } = options;
  const holder = holderIdentity(run, operator, options.process ?? newProcess());
  const requestMs = Math.min(longestMs, lastsMs / 2);
  const done = new AbortController();
  const suspension = watchSuspension(clock, lastsMs, done.signal);
  let state: "none" | "held" | "lost" | "without" = "none";
  let renewedAt = 0;
  let triedAt = 0; // when the lock was last tried to be regained
  let busy: Promise<unknown> = Promise.resolve();
  let keeping = false;
  let confirming: Promise<void> | undefined;
  /** Set for good: what another process has done meanwhile is not known here. */
  let taken: HeldError | undefined;
  let isElsewhere = false;
  /** Version of a Lease whose holder was seen to be gone. */
  let abandoned = "";
  /** What the last look found; absent before it, and where no server answered. */
  let looked: Pick<LeaseState, "version" | "claim"> | undefined;

  /** One after the other: nodes are changed at the same time, and the first change takes the lock for all. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = busy.then(work);
    busy = done.catch(() => {});
    return done;
  }

  /** Writes the Lease; says why it cannot be written. */
  async function renew(): Promise<string | undefined> {
    const at = clock.now();
    const trouble = await take(at);
    if (trouble === undefined) {
      renewedAt = at;
      if (state !== "held") await change("held", { state: "taken" });
    } else if (state === "held" && (taken !== undefined || isOld())) {
      await change("lost", { state: "lost", reason: trouble });
    }
    return trouble;
  }

  async function take(at: number): Promise<string | undefined> {
    try {
      // Someone else was faster: the second look tells who.
      await write(at).catch((error) => {
        if (error instanceof KubernetesError && error.code === 409) {
          return write(at);
        }
        throw error;
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      // Before the first change someone else comes first.
      if (state === "none" && isRefusal(error)) {
        isElsewhere = error instanceof HeldError;
        throw error;
      }
      return error.message;
    }
  }

  async function write(at: number): Promise<void> {
    if (taken !== undefined) throw taken;
    const kubernetes = await options.kubernetes();
    const known = state === "none"
      ? await withoutLock(kubernetes)
      : stillOurs(await read(kubernetes));
    await writeOwn(kubernetes, known, at);
  }

  function writeOwn(
    kubernetes: Kubernetes,
    known: LeaseState | undefined,
    at: number,
  ): Promise<void> {
    return writeLease(kubernetes, {
      holder,
      renewedAt: at,
      durationMs: lastsMs,
      claim: run,
      claimedBy: operator,
      journals: journalsOf(known),
      version: known?.version ?? "",
    }, AbortSignal.timeout(requestMs));
  }

  function read(kubernetes: Kubernetes): Promise<LeaseState | undefined> {
    return readLease(kubernetes, AbortSignal.timeout(requestMs));
  }

  /** The Lease once no other run has it. */
  async function withoutLock(
    kubernetes: Kubernetes,
  ): Promise<LeaseState | undefined> {
    const known = await read(kubernetes);
    await refuseOthers(known);
    if (known === undefined) return undefined;
    const free = isOfOthers(known) ? await watched(kubernetes, known) : known;
    refuseOutdated(free);
    return free;
  }

  /** A run that had it meanwhile may have changed everything, even if it is free again. */
  function stillOurs(known: LeaseState | undefined): LeaseState | undefined {
    if (known === undefined || known.holder === holder) return known;
    throw taken = takenBy(known, run);
  }

  function journalsOf(known: LeaseState | undefined): LeaseState["journals"] {
    const { journals = new Map() } = known ?? {};
    if (journal === undefined) return journals;
    const others = [...journals].filter(([id]) => id !== run);
    return new Map([[run, journal.end()], ...others]);
  }

  async function change(to: typeof state, how: Parameters<typeof record>[0]) {
    state = to;
    await record(how);
  }

  function isOld(): boolean {
    const aged = clock.now() - renewedAt;
    return aged > lastsMs / 2 || aged < 0;
  }

  /** Refuses what no waiting helps against, and what is plainly alive. */
  async function refuseOthers(known: LeaseState | undefined): Promise<void> {
    if (known === undefined) return;
    if (await isClaimed(known)) throw claimedError(known);
    const { renewedAt, durationMs } = known;
    const aged = clock.now() - renewedAt;
    const isFresh = aged >= 0 && aged < durationMs;
    const isOther = holderOf(known.holder).run !== run;
    if (isOfOthers(known) && isOther && isFresh) throw lockedError(known, run);
  }

  async function isClaimed({ claim }: LeaseState): Promise<boolean> {
    const isOther = claim !== "" && claim !== run &&
      claim !== options.supersede;
    return isOther && !await hasEnded(claim);
  }

  /** A run that continues by an older journal repeats what is not in it. */
  function refuseOutdated(known: LeaseState | undefined): void {
    const written = known?.journals.get(run);
    if (known === undefined || written === undefined) return;
    if (journal?.includes(written) === false) {
      throw outdatedCopyError(known, run);
    }
  }

  function isOfOthers({ holder: other, version }: LeaseState): boolean {
    const isOther = other !== "" && other !== holder;
    return isOther && version !== abandoned && !isGone(other);
  }

  /** The Lease once its holder is gone, or has released it. */
  async function watched(
    kubernetes: Kubernetes,
    known: LeaseState,
  ): Promise<LeaseState | undefined> {
    const again = () => read(kubernetes);
    const watch = { read: again, clock, run, note, signal: ending };
    const isFree = await watchHolder(known, watch);
    if (isFree) return await withoutLock(kubernetes);
    abandoned = known.version;
    return known;
  }

  async function keep(): Promise<void> {
    if (keeping) return;
    keeping = true;
    suspension.start();
    while (!done.signal.aborted) {
      await clock.sleep(lastsMs / 4, done.signal);
      if (done.signal.aborted || taken !== undefined) return;
      // What cannot be written down is reported at the next change.
      await inTurn<unknown>(state === "without" ? regain : renew)
        .catch(() => {});
    }
  }

  async function held(): Promise<string | undefined> {
    if (taken !== undefined) throw taken;
    if (state === "without") await regain();
    const isSuspended = suspension.suspendedMs() > 0;
    const isFine = state === "without" || state === "held" && !isOld();
    if (isFine && !isSuspended) return undefined;
    const isFirst = state === "none";
    const trouble = state === "without" ? undefined : await renew();
    if (taken !== undefined) throw taken;
    if (isSuspended) throw suspendedError(suspension.suspendedMs());
    if (trouble === undefined) {
      keep();
      return undefined;
    }
    if (isFirst ? !needed : isExcused()) return await goWithout(trouble);
    return isFirst
      ? `cannot lock the cluster: ${trouble}`
      : `the run has lost its lock on the cluster: ${trouble}`;
  }

  function isExcused(): boolean {
    return options.excused?.() ?? false;
  }

  async function goWithout(reason: string): Promise<undefined> {
    await change("without", { state: "without", reason });
    triedAt = clock.now();
    keep();
    note(
      `Kubernetes does not answer, so other machines cannot see the lock of this run: ${reason}`,
    );
  }

  /** Takes the lock as soon as Kubernetes answers again; raises who has it, or has had it meanwhile. */
  async function regain(): Promise<void> {
    const at = clock.now();
    const isEarly = at >= triedAt && at - triedAt < lastsMs / 4;
    if (isEarly && suspension.suspendedMs() === 0) return;
    triedAt = at;
    try {
      const kubernetes = await options.kubernetes();
      let known = await read(kubernetes);
      refuseOutdated(known);
      if (known !== undefined && isOfOthers(known)) {
        known = await watched(kubernetes, known);
      }
      // With etcd a claim of long ago may have been restored.
      if (known !== undefined && await isClaimed(known)) {
        if (isExcused()) return;
        throw claimedError(known);
      }
      await writeOwn(kubernetes, known, at);
      renewedAt = at;
      await change("held", { state: "taken" });
    } catch (error) {
      if (!(error instanceof OsctlError) || isRefusal(error)) throw error;
    }
  }

  /** A caller that comes while another waits for its turn takes the result of that one. */
  function confirm(): Promise<void> {
    if (state === "none") return Promise.resolve();
    return confirming ??= inTurn(() => {
      confirming = undefined;
      return confirmed();
    });
  }

  async function confirmed(): Promise<void> {
    await renewed();
    const ms = suspension.suspendedMs();
    if (ms > 0) throw suspendedError(ms);
  }

  async function renewed(): Promise<void> {
    if (state === "without") await regain();
    while (state !== "without") {
      const trouble = await renew();
      // A process that was stopped until the answer came knows of an old one.
      if (trouble === undefined && !isOld()) return;
      if (trouble === undefined) continue;
      if (taken !== undefined) throw taken;
      if (isExcused()) await goWithout(trouble);
      else if (isOld() || done.signal.aborted) throw lockExpiredError(trouble);
      // A server that answers again in time loses nothing.
      else await clock.sleep(Math.min(1_000, lastsMs / 8), done.signal);
    }
  }

  async function look(): Promise<void> {
    try {
      const kubernetes = await options.kubernetes();
      const known = await read(kubernetes);
      await refuseOthers(known);
      const isSame = known && holderOf(known.holder).run === run;
      const free = isSame && isOfOthers(known)
        ? await watched(kubernetes, known)
        : known;
      refuseOutdated(free);
      looked = free ?? { version: "", claim: "" };
    } catch (error) {
      // Whether the run is to stop is someone else's question.
      if (ending?.aborted) return;
      if (!(error instanceof OsctlError) || isRefusal(error)) throw error;
    }
  }

  async function reenter(): Promise<void> {
    suspension.reset();
    if (state === "without") await look();
  }

  async function reclaim(): Promise<void> {
    if (looked?.claim !== run) return;
    try {
      await inTurn(held);
    } catch (error) {
      // Whether the run is to stop is someone else's question.
      if (!ending?.aborted) throw error;
    }
  }

  async function elsewhere(): Promise<OsctlError | undefined> {
    if (taken !== undefined || state === "without") return taken;
    try {
      const known = await read(await options.kubernetes());
      if (state !== "none") stillOurs(known);
      // What has not changed since was nobody's then.
      else if (known !== undefined && looked?.version !== known.version) {
        if (looked !== undefined && isOfOthers(known)) {
          throw lockedError(known, run);
        }
        refuseOutdated(known);
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      if (!isRefusal(error)) return undefined;
      isElsewhere ||= error instanceof HeldError;
      return error;
    }
  }

  async function release(finished: boolean): Promise<void> {
    // Others are to see how far it has come.
    triedAt = -Infinity;
    if (state === "without") await inTurn(regain).catch(() => {});
    done.abort();
    await busy;
    const { supersede, claimed: mayClaim = false } = options;
    const isHeld = state === "held" || state === "lost";
    // What it was to take the place of was closed, and no other process removes its claim.
    const isIdle = state === "none" && supersede !== undefined;
    if (!isHeld && !isIdle && !(finished && mayClaim)) return;
    try {
      const kubernetes = await options.kubernetes();
      const known = await read(kubernetes);
      if (known === undefined) return;
      const isClaim = known.claim === run ||
        isIdle && known.claim === supersede;
      const other = holderOf(known.holder).run;
      if (!isClaim || other === run && known.holder !== holder) return;
      const signal = AbortSignal.timeout(requestMs);
      await writeLease(kubernetes, {
        ...known,
        holder: known.holder === holder ? "" : known.holder,
        ...(finished || isIdle ? { claim: "", claimedBy: "" } : {}),
        journals: isHeld ? journalsOf(known) : known.journals,
      }, signal);
      if (!isIdle) await record({ state: finished ? "released" : "claimed" });
    } catch (error) {
      // It runs out by itself; the claim of a run that has ended is what is left.
      if (!(error instanceof OsctlError)) throw error;
      note(`The lock on the cluster could not be released: ${error.message}`);
    }
  }

  return {
    ensure: () => inTurn(held),
    confirm,
    look,
    reclaim,
    elsewhere,
    isTaken: () => isElsewhere || taken !== undefined,
    isSuspended: () => suspension.suspendedMs() > 0,
    reenter,
    release,
  };
}
