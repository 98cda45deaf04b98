/** Lock of a run on its cluster: acquired before the first change, renewed, checked before each change, and released. */

import { LockedError, OsctlError } from "../../../errors.ts";
import type { RecordOf } from "../journal/record.ts";
import { ClusterLease, twice } from "./cluster_lease.ts";
import type { ClusterLockOptions } from "./cluster_lock_types.ts";
import {
  claimedError,
  isRefusal,
  lockedError,
  lockExpiredError,
  lockTakenError,
  parseHolder,
  suspendedError,
} from "./holder.ts";
import type { LeaseState } from "./lease.ts";
import { watchSuspension } from "./suspension.ts";

/**
 * none: not acquired yet. held: this process has it. lost: it could not be renewed in time, or another process has it.
 * without: Kubernetes does not answer, and the run continues without a lock.
 */
type LockState = "none" | "held" | "lost" | "without";

/** Cluster lock; sends no request before the first change. */
export class ClusterLock {
  readonly #options: ClusterLockOptions;
  readonly #lease: ClusterLease;
  readonly #done = new AbortController();
  readonly #suspension: ReturnType<typeof watchSuspension>;
  #state: LockState = "none";
  #renewedAt = 0;
  /** Last attempt to regain the lock. */
  #triedAt = 0;
  #busy: Promise<unknown> = Promise.resolve();
  #isKeeping = false;
  #confirming: Promise<void> | undefined;
  /** Permanent once set: this process does not know the changes of the other holder. */
  #taken: LockedError | undefined;
  #isElsewhere = false;
  /** Result of the last check; absent before it, and when no server answered. */
  #looked: Pick<LeaseState, "version" | "claim"> | undefined;

  constructor(options: ClusterLockOptions) {
    this.#options = options;
    this.#lease = new ClusterLease(options);
    const { clock } = options;
    const { lastsMs } = this.#lease;
    this.#suspension = watchSuspension(clock, lastsMs, this.#done.signal);
  }

  /**
   * Acquires the lock, or makes sure that it is still held.
   *
   * @returns Reason why it is not held; `undefined` when it is.
   * @throws {LockedError} If another process has it, or another run has a claim.
   * @throws {RefusedError} If another copy of the run has continued further.
   */
  ensure(): Promise<string | undefined> {
    return this.#inTurn(() => this.#ensured());
  }

  /**
   * Renews the lock now, directly before a change; does nothing before the first {@linkcode ClusterLock.ensure}. Concurrent
   * callers that wait for their turn share one renewal.
   *
   * @throws {LockedError} If it is not held.
   */
  confirm(): Promise<void> {
    if (this.#state === "none") return Promise.resolve();
    return this.#confirming ??= this.#inTurn(async () => {
      this.#confirming = undefined;
      await this.#renewed();
      const ms = this.#suspension.suspendedMs();
      if (ms > 0) throw suspendedError(ms);
    });
  }

  /**
   * Checks, without changing anything, that no other process has the lock and no other run a claim.
   *
   * Waits one lease duration for a process of the same run that does not renew it.
   *
   * @throws {LockedError} If one has.
   * @throws {RefusedError} If another copy of the run has continued further.
   */
  async look(): Promise<void> {
    const lease = this.#lease;
    const { run, signal, kubernetes } = this.#options;
    try {
      const server = await kubernetes();
      const known = await lease.read(server);
      await lease.refuseOthers(known);
      const isSame = known && parseHolder(known.holder).run === run;
      const free = isSame && lease.isOfOthers(known)
        ? await lease.watched(server, known)
        : known;
      lease.refuseOutdated(free);
      this.#looked = free ?? { version: "", claim: "" };
    } catch (error) {
      // Stopping the run is handled elsewhere.
      if (signal?.aborted) return;
      if (!(error instanceof OsctlError) || isRefusal(error)) throw error;
    }
  }

  /**
   * Acquires the lock immediately if the last check found the claim of this run; does nothing otherwise.
   *
   * No other run waits for it, and of several processes that resume the run only one may run a step: the others would see
   * nodes in the middle of its changes.
   *
   * @throws {LockedError} If another process was faster.
   * @throws {RefusedError} If another copy of the run has continued further.
   */
  async reclaim(): Promise<void> {
    const { run, signal } = this.#options;
    if (this.#looked?.claim !== run) return;
    try {
      await this.ensure();
    } catch (error) {
      // Stopping the run is handled elsewhere.
      if (!signal?.aborted) throw error;
    }
  }

  /**
   * Checks, without changing anything, whether another process has the lock, or has had it since the last check.
   *
   * @returns Error that forbids continuing; `undefined` if there is none, or it is unknown.
   */
  async elsewhere(): Promise<OsctlError | undefined> {
    if (this.#taken !== undefined || this.#state === "without") {
      return this.#taken;
    }
    const lease = this.#lease;
    const { run, kubernetes } = this.#options;
    try {
      const known = await lease.read(await kubernetes());
      if (this.#state !== "none") this.#stillOurs(known);
      // If unchanged since the last check, no process has held it.
      else if (known !== undefined && this.#looked?.version !== known.version) {
        if (this.#looked !== undefined && lease.isOfOthers(known)) {
          throw lockedError(known, run);
        }
        lease.refuseOutdated(known);
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      if (!isRefusal(error)) return undefined;
      this.#isElsewhere ||= error instanceof LockedError;
      return error;
    }
  }

  /** True when another process has the lock, or had it while this one did. */
  isTaken(): boolean {
    return this.#isElsewhere || this.#taken !== undefined;
  }

  /** True when this process was suspended for longer than the lease duration, so that its view of the cluster is outdated. */
  isSuspended(): boolean {
    return this.#suspension.suspendedMs() > 0;
  }

  /**
   * Clears the suspension, and checks the lock like a process that resumes the run.
   *
   * @throws {LockedError} If another process has it, or another run has a claim.
   * @throws {RefusedError} If another copy of the run has continued further.
   */
  async reenter(): Promise<void> {
    this.#suspension.reset();
    if (this.#state === "without") await this.look();
  }

  /** Releases the lock. `finished`: true when there is nothing to resume, so that the claim is removed as well. */
  async release(finished: boolean): Promise<void> {
    // Record the latest position of the journal.
    this.#triedAt = -Infinity;
    if (this.#state === "without") {
      await this.#inTurn(() => this.#regain()).catch(() => {});
    }
    this.#done.abort();
    await this.#busy;
    const lease = this.#lease;
    const { run, supersede, claimed = false, record, note } = this.#options;
    const isHeld = this.#state === "held" || this.#state === "lost";
    // The superseded run was closed, and no other process removes its claim.
    const isIdle = this.#state === "none" && supersede !== undefined;
    if (!isHeld && !isIdle && !(finished && claimed)) return;
    try {
      const server = await this.#options.kubernetes();
      const known = await lease.read(server);
      if (known === undefined) return;
      const isOwn = known.holder === lease.holder;
      const isClaim = known.claim === run ||
        isIdle && known.claim === supersede;
      if (!isClaim || parseHolder(known.holder).run === run && !isOwn) return;
      await lease.write(server, {
        ...known,
        holder: isOwn ? "" : known.holder,
        ...(finished || isIdle ? { claim: "", claimedBy: "" } : {}),
        journals: isHeld ? lease.journalsIn(known) : known.journals,
      });
      if (!isIdle) await record({ state: finished ? "released" : "claimed" });
    } catch (error) {
      // The Lease expires; only the claim of a finished run is left.
      if (!(error instanceof OsctlError)) throw error;
      note(`The lock on the cluster could not be released: ${error.message}`);
    }
  }

  /** Runs one at a time: nodes are changed concurrently, and the first change acquires the lock for all. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#busy.then(work);
    this.#busy = done.catch(() => {});
    return done;
  }

  async #change(
    state: LockState,
    how: RecordOf<"lease">["data"],
  ): Promise<void> {
    this.#state = state;
    await this.#options.record(how);
  }

  async #ensured(): Promise<string | undefined> {
    if (this.#taken !== undefined) throw this.#taken;
    if (this.#state === "without") await this.#regain();
    const suspendedMs = this.#suspension.suspendedMs();
    const isFine = this.#state === "without" ||
      this.#state === "held" && !this.#isOld();
    if (isFine && suspendedMs === 0) return undefined;
    const isFirst = this.#state === "none";
    const trouble = this.#state === "without" ? undefined : await this.#renew();
    if (this.#taken !== undefined) throw this.#taken;
    if (suspendedMs > 0) throw suspendedError(this.#suspension.suspendedMs());
    if (trouble === undefined) {
      this.#keep();
      return undefined;
    }
    if (isFirst ? !this.#options.needed : this.#isExcused()) {
      return await this.#goWithout(trouble);
    }
    return isFirst
      ? `cannot lock the cluster: ${trouble}`
      : `the run has lost its lock on the cluster: ${trouble}`;
  }

  /** Writes the Lease; returns the reason if it cannot be written. */
  async #renew(): Promise<string | undefined> {
    const at = this.#options.clock.now();
    const trouble = await this.#take(at);
    if (trouble === undefined) {
      this.#renewedAt = at;
      if (this.#state !== "held") {
        await this.#change("held", { state: "taken" });
      }
    } else if (
      this.#state === "held" && (this.#taken !== undefined || this.#isOld())
    ) {
      await this.#change("lost", { state: "lost", reason: trouble });
    }
    return trouble;
  }

  async #take(at: number): Promise<string | undefined> {
    try {
      await twice(() => this.#write(at));
      return undefined;
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      // Before the first change another holder has priority.
      if (this.#state === "none" && isRefusal(error)) {
        this.#isElsewhere = error instanceof LockedError;
        throw error;
      }
      return error.message;
    }
  }

  async #write(at: number): Promise<void> {
    if (this.#taken !== undefined) throw this.#taken;
    const lease = this.#lease;
    const server = await this.#options.kubernetes();
    const known = this.#state === "none"
      ? await lease.free(server)
      : this.#stillOurs(await lease.read(server));
    await lease.take(server, known, at);
  }

  /** If another run had the lock meanwhile, it may have changed everything, even if the lock is free again. */
  #stillOurs(known: LeaseState | undefined): LeaseState | undefined {
    if (known === undefined || known.holder === this.#lease.holder) {
      return known;
    }
    throw this.#taken = lockTakenError(known, this.#options.run);
  }

  #isOld(): boolean {
    const aged = this.#options.clock.now() - this.#renewedAt;
    return aged > this.#lease.lastsMs / 2 || aged < 0;
  }

  #isExcused(): boolean {
    return this.#options.excused?.() ?? false;
  }

  async #keep(): Promise<void> {
    if (this.#isKeeping) return;
    this.#isKeeping = true;
    this.#suspension.start();
    const { signal } = this.#done;
    while (!signal.aborted) {
      await this.#options.clock.sleep(this.#lease.lastsMs / 4, signal);
      if (signal.aborted || this.#taken !== undefined) return;
      // A failure to record it is reported at the next change.
      await this.#inTurn<unknown>(
        this.#state === "without" ? () => this.#regain() : () => this.#renew(),
      ).catch(() => {});
    }
  }

  async #goWithout(reason: string): Promise<undefined> {
    await this.#change("without", { state: "without", reason });
    this.#triedAt = this.#options.clock.now();
    this.#keep();
    this.#options.note(
      `Kubernetes does not answer, so other machines cannot see the lock of this run: ${reason}`,
    );
  }

  /** Reacquires the lock as soon as Kubernetes answers again; raises an error if another process has it, or had it meanwhile. */
  async #regain(): Promise<void> {
    const lease = this.#lease;
    const at = this.#options.clock.now();
    const isEarly = at >= this.#triedAt &&
      at - this.#triedAt < lease.lastsMs / 4;
    if (isEarly && !this.isSuspended()) return;
    this.#triedAt = at;
    try {
      const server = await this.#options.kubernetes();
      let known = await lease.read(server);
      lease.refuseOutdated(known);
      if (known !== undefined && lease.isOfOthers(known)) {
        known = await lease.watched(server, known);
      }
      // A restored etcd may bring back an old claim.
      if (known !== undefined && await lease.isClaimed(known)) {
        if (this.#isExcused()) return;
        throw claimedError(known);
      }
      await lease.take(server, known, at);
      this.#renewedAt = at;
      await this.#change("held", { state: "taken" });
    } catch (error) {
      if (!(error instanceof OsctlError) || isRefusal(error)) throw error;
    }
  }

  async #renewed(): Promise<void> {
    const { clock } = this.#options;
    const { lastsMs } = this.#lease;
    const { signal } = this.#done;
    if (this.#state === "without") await this.#regain();
    while (this.#state !== "without") {
      const trouble = await this.#renew();
      // If the process was suspended until the response arrived, the response is old.
      if (trouble === undefined && !this.#isOld()) return;
      if (trouble === undefined) continue;
      if (this.#taken !== undefined) throw this.#taken;
      if (this.#isExcused()) await this.#goWithout(trouble);
      else if (this.#isOld() || signal.aborted) throw lockExpiredError(trouble);
      // If the server answers again in time, the lock is kept.
      else await clock.sleep(Math.min(1_000, lastsMs / 8), signal);
    }
  }
}
