/** Waiting until something is as wanted, by looking. */

import { poll } from "../../lib/poll.ts";
import { ConnectError, RpcError } from "../../errors.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import type {
  NodeContext,
  OperationProgress,
  Reconciled,
  Verdict,
} from "./operation.ts";

/** What one look found. */
export type LookResult =
  | {
    /** Nothing is left to wait for. */
    readonly verdict: Verdict;
  }
  | {
    /** What is not as it should be, for people. */
    readonly missing: string;
  };

/**
 * Looks again and again. A node that is unavailable, or not ready to answer, is asked again.
 *
 * @param look Throws what asking again cannot help.
 * @returns What a look decided, else `timed-out` with what was missing last.
 */
export function untilSeen(
  site: Pick<NodeContext, "clock" | "signal">,
  look: () => Promise<LookResult>,
): AsyncGenerator<OperationProgress, Verdict> {
  return untilDecided(site, async () => {
    try {
      return await look();
    } catch (error) {
      if (!isOfNode(error) || failureKind(error) === "final") throw error;
      return { missing: `the node does not answer: ${error.message}` };
    }
  });
}

/**
 * Looks again and again, and tells what is missing whenever that changes.
 *
 * @param late What the end of the time means, default `timed-out`.
 */
export async function* untilDecided(
  site: Pick<NodeContext, "clock" | "signal">,
  look: () => Promise<LookResult>,
  late: () => Verdict["outcome"] = () => "timed-out",
): AsyncGenerator<OperationProgress, Verdict> {
  let missing = "no answer yet";
  let reported = "";
  for await (const _ of poll(site)) {
    const sight = await inTime(site.signal, look) ?? { missing };
    if ("verdict" in sight) return sight.verdict;
    missing = sight.missing;
    if (missing !== reported) yield { text: reported = missing };
  }
  return { outcome: late(), reason: missing };
}

/** How long something has to stay undone before a change counts as not started, in milliseconds. */
const steadyMs = 3_000;

/** How long a node that is unavailable is waited for, in milliseconds. */
const patienceMs = 30_000;

/**
 * Finds out whether a change whose answer was lost was made: the node may still be about to make it, so that it counts
 * as not started only when nothing happens for a while.
 *
 * @param isDone Looks once. Throws what asking again cannot help; a node that is unavailable is asked again.
 */
export async function confirmOutcome(
  site: Pick<NodeContext, "clock" | "signal">,
  isDone: () => Promise<boolean>,
): Promise<Reconciled> {
  let since: number | undefined;
  for await (const _ of poll(site, { timeoutMs: patienceMs })) {
    const done = await ifAvailable(isDone);
    if (done) return "done";
    const now = site.clock.now();
    since = done === undefined ? undefined : since ?? now;
    if (since !== undefined && now - since >= steadyMs) return "not-started";
  }
  return "unknown";
}

/** Looks once; `undefined` when the node is unavailable. */
export async function ifAvailable<T>(
  look: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isOfNode(error) && failureKind(error) !== "final") return undefined;
    throw error;
  }
}

/** Whether an error says something of the node or the way to it. */
export function isOfNode(error: unknown): error is RpcError | ConnectError {
  return error instanceof RpcError || error instanceof ConnectError;
}

/** Looks, as long as there is time; `undefined` when the time was up amid it. */
export async function inTime<T>(
  signal: AbortSignal,
  look: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isLate(error, signal)) return undefined;
    throw error;
  }
}

/** Tells a call that the end of the time has cut from one that failed. */
export function isLate(error: unknown, signal: AbortSignal): boolean {
  // Clocks and users raise errors of their own.
  return signal.aborted && error === signal.reason;
}
