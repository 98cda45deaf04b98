/** The Lease that a lock is kept in: who may have it, and what it says of the run. */

import { type Kubernetes, KubernetesError } from "../../kubernetes/client.ts";
import {
  claimedError,
  holderIdentity,
  isGone,
  lockedError,
  newProcess,
  outdatedCopyError,
  parseHolder,
} from "./holder.ts";
import type { ClusterLockOptions } from "./cluster_lock_types.ts";
import { leaseMs, type LeaseState, readLease, writeLease } from "./lease.ts";
import { watchHolder } from "./watch_holder.ts";

/** Longest wait for the API server, in milliseconds. */
const longestMs = 5_000;

/** The Lease of a cluster, as a process of a run looks at it. */
export class ClusterLease {
  /** What tells this process from all others. */
  readonly holder: string;
  /** How long the lock lasts without being renewed, in milliseconds. */
  readonly lastsMs: number;
  readonly #options: ClusterLockOptions;
  readonly #requestMs: number;
  /** Version of a Lease whose holder was seen to be gone. */
  #abandoned = "";

  constructor(options: ClusterLockOptions) {
    const { run, operator, process = newProcess(), lastsMs } = options;
    this.#options = options;
    this.holder = holderIdentity(run, operator, process);
    this.lastsMs = lastsMs ?? leaseMs;
    this.#requestMs = Math.min(longestMs, this.lastsMs / 2);
  }

  read(kubernetes: Kubernetes): Promise<LeaseState | undefined> {
    return readLease(kubernetes, this.#limit());
  }

  write(kubernetes: Kubernetes, state: LeaseState): Promise<void> {
    return writeLease(kubernetes, state, this.#limit());
  }

  /**
   * Writes that this process has it.
   *
   * @param known What was there.
   * @param at When, in milliseconds since 1970.
   */
  take(
    kubernetes: Kubernetes,
    known: LeaseState | undefined,
    at: number,
  ): Promise<void> {
    const { run, operator } = this.#options;
    return this.write(kubernetes, {
      holder: this.holder,
      renewedAt: at,
      durationMs: this.lastsMs,
      claim: run,
      claimedBy: operator,
      journals: this.journalsIn(known),
      version: known?.version ?? "",
    });
  }

  /** The Lease once no other run has it. */
  async free(kubernetes: Kubernetes): Promise<LeaseState | undefined> {
    const known = await this.read(kubernetes);
    await this.refuseOthers(known);
    if (known === undefined) return undefined;
    const free = this.isOfOthers(known)
      ? await this.watched(kubernetes, known)
      : known;
    this.refuseOutdated(free);
    return free;
  }

  /** The Lease once its holder is gone, or has released it. */
  async watched(
    kubernetes: Kubernetes,
    known: LeaseState,
  ): Promise<LeaseState | undefined> {
    const { clock, run, note, signal } = this.#options;
    const read = () => this.read(kubernetes);
    const isFree = await watchHolder(known, { read, clock, run, note, signal });
    if (isFree) return await this.free(kubernetes);
    this.#abandoned = known.version;
    return known;
  }

  /** Refuses what no waiting helps against, and what is plainly alive. */
  async refuseOthers(known: LeaseState | undefined): Promise<void> {
    if (known === undefined) return;
    if (await this.isClaimed(known)) throw claimedError(known);
    const { clock, run } = this.#options;
    const { renewedAt, durationMs } = known;
    const aged = clock.now() - renewedAt;
    const isFresh = aged >= 0 && aged < durationMs;
    const isOther = parseHolder(known.holder).run !== run;
    if (this.isOfOthers(known) && isOther && isFresh) {
      throw lockedError(known, run);
    }
  }

  /** A run that continues by an older journal repeats what is not in it. */
  refuseOutdated(known: LeaseState | undefined): void {
    const { run, journal } = this.#options;
    const written = known?.journals.get(run);
    if (known === undefined || written === undefined) return;
    if (journal?.includes(written) === false) {
      throw outdatedCopyError(known, run);
    }
  }

  async isClaimed({ claim }: LeaseState): Promise<boolean> {
    const { run, supersede, hasEnded } = this.#options;
    const isOther = claim !== "" && claim !== run && claim !== supersede;
    return isOther && !await hasEnded?.(claim);
  }

  isOfOthers({ holder, version }: LeaseState): boolean {
    const isOther = holder !== "" && holder !== this.holder;
    return isOther && version !== this.#abandoned && !isGone(holder);
  }

  /** How far journals have come, that of this run first. */
  journalsIn(known: LeaseState | undefined): LeaseState["journals"] {
    const { run, journal } = this.#options;
    const { journals = new Map() } = known ?? {};
    if (journal === undefined) return journals;
    const others = [...journals].filter(([id]) => id !== run);
    return new Map([[run, journal.end()], ...others]);
  }

  #limit(): AbortSignal {
    return AbortSignal.timeout(this.#requestMs);
  }
}

/** Does it again, once, where somebody else was faster: the second look tells who. */
export async function twice(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.code !== 409) throw error;
    await work();
  }
}
