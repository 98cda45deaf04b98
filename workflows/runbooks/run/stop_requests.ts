/** Stop requests, from signals and other processes: the first ends waits, the second stops at once. */

import { type ExitStatus, exitStatus } from "../../../errors.ts";
import type {
  ClaimedSignal,
  SignalName,
} from "../../../terminal/environment.ts";
import type { Stop } from "../engine/engine_options.ts";

/** Stop requests and their source. */
export interface StopRequests extends Stop, Disposable {
  /**
   * Sends the next request.
   *
   * @param why Cause: `interrupt`, `stop`, `terminated`.
   * @param isHard True to stop at once.
   */
  readonly request: (why: string, isHard?: boolean) => void;
  /** Handles a signal; the third ends the process. */
  readonly signalled: ClaimedSignal;
  /** Exit status when a signal forced a stop at once; `undefined` otherwise. */
  readonly abandoned: () => ExitStatus | undefined;
}

interface StopRequestsOptions {
  /** Time to reach a safe point after SIGTERM, in milliseconds. */
  readonly graceMs: number;
  /** True when closing the terminal is no stop request. */
  readonly detach: boolean;
  /** Called for the first request. */
  readonly requested: (why: string) => void;
}

const reasons: Readonly<Record<SignalName, string>> = {
  SIGINT: "interrupt",
  SIGTERM: "terminated",
  SIGHUP: "the terminal was closed",
};

/** Makes the stop requests of a run. */
export function stopRequests(options: StopRequestsOptions): StopRequests {
  const { graceMs, detach, requested } = options;
  const soft = new AbortController();
  const hard = new AbortController();
  let abandoned: ExitStatus | undefined;
  let limit: ReturnType<typeof setTimeout> | undefined;

  function request(why: string, isHard = false): void {
    if (!soft.signal.aborted) {
      soft.abort();
      requested(why);
    }
    if (isHard) hard.abort();
  }

  function abandon(signal: SignalName): void {
    if (hard.signal.aborted) return;
    abandoned = findStatus(signal);
    hard.abort();
  }

  function onSignal(signal: SignalName): ExitStatus | undefined {
    if (signal === "SIGHUP" && detach) return undefined;
    if (hard.signal.aborted) return findStatus(signal);
    if (soft.signal.aborted) {
      abandon(signal);
      return undefined;
    }
    request(reasons[signal]);
    if (signal !== "SIGINT") limit = setTimeout(() => abandon(signal), graceMs);
    return undefined;
  }

  return {
    soft: soft.signal,
    hard: hard.signal,
    request,
    signalled: onSignal,
    abandoned: () => abandoned,
    [Symbol.dispose]: () => clearTimeout(limit),
  };
}

function findStatus(signal: SignalName): ExitStatus {
  return signal === "SIGINT" ? exitStatus.interrupted : exitStatus.terminated;
}
