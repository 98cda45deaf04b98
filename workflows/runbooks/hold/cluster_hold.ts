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
  let state: "none" | "held" | "without" = "none";
  let renewedAt = 0;
  let trouble: string | undefined;
  let busy: Promise<unknown> = Promise.resolve();

  /** One after the other: nodes are changed at the same time, and the first change takes the hold for all. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = busy.then(work);
    busy = done.catch(() => {});
    return done;
  }

  async function renew(): Promise<void> {
    try {
      const kubernetes = await options.kubernetes();
      const signal = AbortSignal.timeout(requestMs);
      const known = await readLease(kubernetes, signal);
      refuseOthers(known);
      const now = clock.now();
      await writeLease(kubernetes, {
        holder: `${run} @ ${operator}`,
        renewedAt: now,
        claim: run,
        claimedBy: operator,
        version: known?.version ?? "",
      }, signal);
      if (state !== "held") await record({ state: "taken" });
      renewedAt = now;
      trouble = undefined;
      state = "held";
    } catch (error) {
      if (error instanceof HeldError || !(error instanceof OsctlError)) {
        throw error;
      }
      trouble = error.message;
    }
  }

  function refuseOthers(known: LeaseState | undefined): void {
    if (known === undefined) return;
    const other = known.claim !== "" && known.claim !== run &&
      known.claim !== options.supersede;
    if (other) throw claimed(known);
    const [holder = ""] = known.holder.split(" @ ");
    const fresh = clock.now() - known.renewedAt < leaseMs;
    if (holder !== "" && holder !== run && fresh) throw heldBy(known);
  }

  async function keep(): Promise<void> {
    while (!done.signal.aborted) {
      await clock.sleep(renewMs, done.signal);
      if (done.signal.aborted) return;
      // Who has taken it is told at the next change.
      await inTurn(renew).catch((error) => trouble = error.message);
    }
  }

  async function held(): Promise<string | undefined> {
    if (state === "without") return undefined;
    if (state === "none") {
      await renew();
      // `renew` has changed it.
      if ((state as string) === "held") {
        keep();
        return undefined;
      }
      if (needed) return `the hold on the cluster cannot be taken: ${trouble}`;
      state = "without";
      await record({ state: "without", reason: trouble ?? "" });
      note(
        `Kubernetes does not answer, so nobody on another machine sees this run: ${trouble}`,
      );
      return undefined;
    }
    if (clock.now() - renewedAt <= leaseMs / 2) return undefined;
    await renew();
    return trouble === undefined
      ? undefined
      : `the hold on the cluster is lost: ${trouble}`;
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
    if (state !== "held") return;
    try {
      const kubernetes = await options.kubernetes();
      const signal = AbortSignal.timeout(requestMs);
      const known = await readLease(kubernetes, signal);
      if (known === undefined || known.claim !== run) return;
      await writeLease(kubernetes, {
        ...known,
        holder: "",
        ...(finished ? { claim: "", claimedBy: "" } : {}),
      }, signal);
      await record({ state: finished ? "released" : "claimed" });
    } catch (error) {
      // It runs out by itself; the claim of a run that has ended is what is left.
      if (!(error instanceof KubernetesError)) throw error;
      note(`The hold on the cluster could not be given back: ${error.message}`);
    }
  }

  return { ensure: () => inTurn(held), look, release };
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
        `Go on with: osctl runbook resume ${claim}, or take its place with --supersede ${claim}`,
    },
  );
}
