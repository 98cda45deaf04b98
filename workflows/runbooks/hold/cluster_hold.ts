/** The hold of a run on its cluster: taken before the first change, renewed, and given back. */

import { HeldError, OsctlError } from "../../../errors.ts";
import { type Kubernetes, KubernetesError } from "../../kubernetes/client.ts";
import type { OperationClock } from "../../operation.ts";
import type { Details } from "../journal/record.ts";
import { leaseMs, type LeaseState, readLease, writeLease } from "./lease.ts";

/** What a hold is taken with. */
export interface HoldOptions {
  /** The API server, as an administrator; connects anew when it is called again. */
  readonly kubernetes: () => Promise<Kubernetes>;
  /** Id of the run. */
  readonly run: string;
  /** Who runs it: user and host. */
  readonly operator: string;
  /** Time. */
  readonly clock: OperationClock;
  /** True when nothing may be changed without the hold, because the runbook needs Kubernetes. */
  readonly needed: boolean;
  /** Run whose claim is taken over. */
  readonly supersede?: string;
  /** True when an earlier process of the run may have left its claim; default false. */
  readonly claimed?: boolean;
  /** Writes down what became of it. */
  readonly record: (details: Details) => Promise<void>;
  /** Tells the person who waits. */
  readonly note: (text: string) => void;
}

/** A hold. */
export interface ClusterHold {
  /**
   * Takes it, or makes sure that it is there.
   *
   * @returns Why it is not; `undefined` when it is.
   * @throws {HeldError} If another run has it, or a claim.
   */
  readonly ensure: () => Promise<string | undefined>;
  /**
   * Looks whether another run has it, or a claim, and changes nothing.
   *
   * @throws {HeldError} If one has.
   */
  readonly look: () => Promise<void>;
  /**
   * Gives it back.
   *
   * @param finished True when nothing is left to go on with, so that the claim goes as well.
   */
  readonly release: (finished: boolean) => Promise<void>;
}

/** Time between two renewals, in milliseconds. */
const renewMs = 15_000;

/** Longest wait for the API server, in milliseconds. */
const requestMs = 5_000;

/** Makes a hold; nothing is asked before the first change. */
export function createHold(options: HoldOptions): ClusterHold {
  const { run, operator, clock, needed, record, note } = options;
  const done = new AbortController();
  let state: "none" | "held" | "lost" | "without" = "none";
  let renewedAt = 0;
  let busy: Promise<unknown> = Promise.resolve();

  /** One after the other: nodes are changed at the same time, and the first change takes the hold for all. */
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
    } else if (state === "held" && (trouble.stolen || isOld())) {
      await change("lost", { state: "lost", reason: trouble.reason });
    }
    return trouble?.reason;
  }

  async function take(
    at: number,
  ): Promise<{ stolen: boolean; reason: string } | undefined> {
    try {
      // Somebody else was faster: the second look tells who.
      await write(at).catch((error) => {
        if (error instanceof KubernetesError && error.code === 409) {
          return write(at);
        }
        throw error;
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      const stolen = error instanceof HeldError;
      // Before the first change somebody else comes first.
      if (stolen && state === "none") throw error;
      return { stolen, reason: error.message };
    }
  }

  async function write(at: number): Promise<void> {
    const kubernetes = await options.kubernetes();
    const signal = AbortSignal.timeout(requestMs);
    const known = await readLease(kubernetes, signal);
    refuseOthers(known);
    await writeLease(kubernetes, {
      holder: `${run} @ ${operator}`,
      renewedAt: at,
      claim: run,
      claimedBy: operator,
      version: known?.version ?? "",
    }, signal);
  }

  async function change(next: typeof state, details: Details): Promise<void> {
    state = next;
    await record(details);
  }

  function isOld(): boolean {
    return clock.now() - renewedAt > leaseMs / 2;
  }

  function refuseOthers(known: LeaseState | undefined): void {
    if (known === undefined) return;
    const other = known.claim !== "" && known.claim !== run &&
      known.claim !== options.supersede;
    if (other) throw claimed(known);
    const holder = holderOf(known);
    const isFresh = clock.now() - known.renewedAt < leaseMs;
    if (holder !== "" && holder !== run && isFresh) throw heldBy(known);
  }

  async function keep(): Promise<void> {
    while (!done.signal.aborted) {
      await clock.sleep(renewMs, done.signal);
      if (done.signal.aborted) return;
      // What cannot be written down is told at the next change.
      await inTurn(renew).catch(() => {});
    }
  }

  async function held(): Promise<string | undefined> {
    if (state === "without" || state === "held" && !isOld()) return undefined;
    const isFirst = state === "none";
    const trouble = await renew();
    if (trouble === undefined) {
      if (isFirst) keep();
      return undefined;
    }
    if (!isFirst) return `the hold on the cluster is lost: ${trouble}`;
    if (needed) return `the hold on the cluster cannot be taken: ${trouble}`;
    await change("without", { state: "without", reason: trouble });
    note(
      `Kubernetes does not answer, so nobody on another machine sees this run: ${trouble}`,
    );
    return undefined;
  }

  async function look(): Promise<void> {
    try {
      const kubernetes = await options.kubernetes();
      refuseOthers(await readLease(kubernetes, AbortSignal.timeout(requestMs)));
    } catch (error) {
      if (error instanceof HeldError || !(error instanceof OsctlError)) {
        throw error;
      }
    }
  }

  async function release(finished: boolean): Promise<void> {
    done.abort();
    await busy;
    const isHeld = state === "held" || state === "lost";
    if (!isHeld && !(finished && options.claimed === true)) return;
    try {
      const kubernetes = await options.kubernetes();
      const signal = AbortSignal.timeout(requestMs);
      const known = await readLease(kubernetes, signal);
      if (known === undefined || known.claim !== run) return;
      await writeLease(kubernetes, {
        ...known,
        holder: holderOf(known) === run ? "" : known.holder,
        ...(finished ? { claim: "", claimedBy: "" } : {}),
      }, signal);
      await record({ state: finished ? "released" : "claimed" });
    } catch (error) {
      // It runs out by itself; the claim of a run that has ended is what is left.
      if (!(error instanceof OsctlError)) throw error;
      note(`The hold on the cluster could not be given back: ${error.message}`);
    }
  }

  return { ensure: () => inTurn(held), look, release };
}

/** Run that holds it; empty for nobody. */
function holderOf({ holder }: LeaseState): string {
  const [run = ""] = holder.split(" @ ");
  return run;
}

function heldBy({ holder }: LeaseState): HeldError {
  return new HeldError(`Another run holds the cluster: ${holder}`, {
    hint: "Wait for it, or look at it with: osctl runbook status",
  });
}

function claimed({ claim, claimedBy }: LeaseState): HeldError {
  return new HeldError(
    `Run "${claim}" of ${claimedBy} has begun something on the cluster and not ended`,
    {
      hint:
        `Go on where it was begun: osctl runbook resume ${claim}; if nobody can: osctl runbook unlock`,
    },
  );
}
