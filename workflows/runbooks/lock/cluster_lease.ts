/** The Lease of a cluster lock: its holder, and the state of the run. */

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

/** Timeout for requests to the API server, in milliseconds. */
const longestMs = 5_000;

/** The Lease of a cluster, as seen by one process of a run. */
export class ClusterLease {
  /** Identifies this process. */
  readonly holder: string;
  /** Lease duration, in milliseconds. */
  readonly lastsMs: number;
  readonly #options: ClusterLockOptions;
  readonly #requestMs: number;
  /** Version of a Lease whose holder has exited. */
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
   * Makes this process the holder.
   *
   * @param known The Lease as last read.
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

  /** Resolves with the Lease once no other run holds it. */
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

  /** Resolves with the Lease once its holder has exited, or has released it. */
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

  /** Refuses when waiting cannot help: another holder is clearly alive, or another run has a claim. */
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

  /** Refuses an outdated journal: resuming with it would repeat steps that it does not record. */
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

  /** Positions of journals, that of this run first. */
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

/** Retries once on a conflict: the second read shows the new holder. */
export async function twice(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.code !== 409) throw error;
    await work();
  }
}
