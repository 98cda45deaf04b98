/** The lock of a run on its cluster: taken before the first change, renewed, looked at before each, and given back. */

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
 * none: not asked for yet. held: this process has it. lost: it could not be renewed in time, or another process has it.
 * without: Kubernetes does not answer, and the run continues all the same.
 */
type LockState = "none" | "held" | "lost" | "without";

/** A lock; nothing is asked before the first change. */
export class ClusterLock {
  readonly #options: ClusterLockOptions;
  readonly #lease: ClusterLease;
  readonly #done = new AbortController();
  readonly #suspension: ReturnType<typeof watchSuspension>;
  #state: LockState = "none";
  #renewedAt = 0;
  /** When the lock was last tried to be regained. */
  #triedAt = 0;
  #busy: Promise<unknown> = Promise.resolve();
  #isKeeping = false;
  #confirming: Promise<void> | undefined;
  /** Set for good: what another process has done meanwhile is not known here. */
  #taken: LockedError | undefined;
  #isElsewhere = false;
  /** What the last look found; absent before it, and where no server answered. */
  #looked: Pick<LeaseState, "version" | "claim"> | undefined;

  constructor(options: ClusterLockOptions) {
    this.#options = options;
    this.#lease = new ClusterLease(options);
    const { clock } = options;
    const { lastsMs } = this.#lease;
    this.#suspension = watchSuspension(clock, lastsMs, this.#done.signal);
  }

  /**
   * Takes it, or makes sure that it is there.
   *
   * @returns Why it is not; `undefined` when it is.
   * @throws {LockedError} If another process has it, or another run a claim.
   * @throws {RefusedError} If another copy of the run has gone further.
   */
  ensure(): Promise<string | undefined> {
    return this.#inTurn(() => this.#ensured());
  }

  /**
   * Renews it now, directly before a change; does nothing before the first {@linkcode ClusterLock.ensure}. A caller
   * that comes while another waits for its turn takes the result of that one.
   *
   * @throws {LockedError} If it is not there.
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
   * Looks whether another process has it, or another run a claim, and changes nothing.
   *
   * A process of the same run that does not renew it is given the time it lasts.
   *
   * @throws {LockedError} If one has.
   * @throws {RefusedError} If another copy of the run has gone further.
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
      // Whether the run is to stop is someone else's question.
      if (signal?.aborted) return;
      if (!(error instanceof OsctlError) || isRefusal(error)) throw error;
    }
  }

  /**
   * Takes it at once where the last look found the claim of this run; does nothing elsewhere.
   *
   * Nobody else waits for that, and of several processes that resume the run only one does a step of it: the
   * others would see nodes in the middle of what that one does to them.
   *
   * @throws {LockedError} If another process was faster.
   * @throws {RefusedError} If another copy of the run has gone further.
   */
  async reclaim(): Promise<void> {
    const { run, signal } = this.#options;
    if (this.#looked?.claim !== run) return;
    try {
      await this.ensure();
    } catch (error) {
      // Whether the run is to stop is someone else's question.
      if (!signal?.aborted) throw error;
    }
  }

  /**
   * Looks whether another process has it, or has had it since the last look, and changes nothing.
   *
   * @returns What forbids to continue; `undefined` when nothing does, or it is unknown.
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
      // What has not changed since was nobody's then.
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

  /** True when another process has it, or had it while this one did. */
  isTaken(): boolean {
    return this.#isElsewhere || this.#taken !== undefined;
  }

  /** True when this process did not run for longer than the lock lasts, so that what it knows of the cluster counts no more. */
  isSuspended(): boolean {
    return this.#suspension.suspendedMs() > 0;
  }

  /**
   * Forgets that, and looks as a process does that resumes the run.
   *
   * @throws {LockedError} If another process has it, or another run a claim.
   * @throws {RefusedError} If another copy of the run has gone further.
   */
  async reenter(): Promise<void> {
    this.#suspension.reset();
    if (this.#state === "without") await this.look();
  }

  /** Gives it back. `finished`: true when nothing is left to continue with, so that the claim goes as well. */
  async release(finished: boolean): Promise<void> {
    // Others are to see how far it has come.
    this.#triedAt = -Infinity;
    if (this.#state === "without") {
      await this.#inTurn(() => this.#regain()).catch(() => {});
    }
    this.#done.abort();
    await this.#busy;
    const lease = this.#lease;
    const { run, supersede, claimed = false, record, note } = this.#options;
    const isHeld = this.#state === "held" || this.#state === "lost";
    // What it was to take the place of was closed, and no other process removes its claim.
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
      // It runs out by itself; the claim of a run that has ended is what is left.
      if (!(error instanceof OsctlError)) throw error;
      note(`The lock on the cluster could not be released: ${error.message}`);
    }
  }

  /** One after the other: nodes are changed at the same time, and the first change takes the lock for all. */
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

  /** Writes the Lease; says why it cannot be written. */
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
      // Before the first change someone else comes first.
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

  /** A run that had it meanwhile may have changed everything, even if it is free again. */
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
      // What cannot be written down is reported at the next change.
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

  /** Takes the lock as soon as Kubernetes answers again; raises who has it, or has had it meanwhile. */
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
      // With etcd a claim of long ago may have been restored.
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
      // A process that was stopped until the answer came knows of an old one.
      if (trouble === undefined && !this.#isOld()) return;
      if (trouble === undefined) continue;
      if (this.#taken !== undefined) throw this.#taken;
      if (this.#isExcused()) await this.#goWithout(trouble);
      else if (this.#isOld() || signal.aborted) throw lockExpiredError(trouble);
      // A server that answers again in time loses nothing.
      else await clock.sleep(Math.min(1_000, lastsMs / 8), signal);
    }
  }
}
