/** Polls until a condition is met. */

import { poll } from "../../lib/poll.ts";
import { ConnectError, RpcError } from "../../errors.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import type {
  Attempt,
  NodeContext,
  OperationProgress,
  Reconciled,
  Verdict,
} from "./operation.ts";

/** Result of one look. */
export type LookResult =
  | {
    /** Nothing is left to wait for. */
    readonly verdict: Verdict;
  }
  | {
    /** Missing condition, for users. */
    readonly missing: string;
  };

/**
 * Polls. Retries a node that is unavailable, or not ready to answer.
 *
 * @param look Throws errors that a retry cannot help.
 * @returns The verdict of a look, otherwise `timed-out` with what was missing last.
 */
export function untilSeen(
  context: Pick<NodeContext, "clock" | "signal">,
  look: () => Promise<LookResult>,
): AsyncGenerator<OperationProgress, Verdict> {
  return untilDecided(context, async () => {
    try {
      return await look();
    } catch (error) {
      if (!isOfNode(error) || failureKind(error) === "final") throw error;
      return { missing: `the node does not answer: ${error.message}` };
    }
  });
}

/**
 * Polls, and reports what is missing whenever that changes.
 *
 * @param late Outcome at the timeout, default `timed-out`.
 */
export async function* untilDecided(
  context: Pick<NodeContext, "clock" | "signal">,
  look: () => Promise<LookResult>,
  late: () => Verdict["outcome"] = () => "timed-out",
): AsyncGenerator<OperationProgress, Verdict> {
  let missing = "no answer yet";
  let reported = "";
  for await (const _ of poll(context)) {
    const sight = await inTime(context.signal, look) ?? { missing };
    if ("verdict" in sight) return sight.verdict;
    missing = sight.missing;
    if (missing !== reported) yield { text: reported = missing };
  }
  return { outcome: late(), reason: missing };
}

/** Time something has to stay undone before a change counts as not started, in milliseconds. */
const steadyMs = 3_000;

/** Maximum wait for an unavailable node, in milliseconds. */
const patienceMs = 30_000;

/**
 * Finds out whether a change with a lost response was made. The node may still be about to make it, so it counts as
 * not started only after a while without change.
 *
 * @param isDone Looks once. Throws errors that a retry cannot help; an unavailable node is retried.
 */
export async function confirmOutcome(
  context: Pick<NodeContext, "clock" | "signal">,
  isDone: () => Promise<boolean>,
): Promise<Reconciled> {
  let since: number | undefined;
  for await (const _ of poll(context, { timeoutMs: patienceMs })) {
    const done = await ifAvailable(isDone);
    if (done) return "done";
    const now = context.clock.now();
    since = done === undefined ? undefined : since ?? now;
    if (since !== undefined && now - since >= steadyMs) return "not-started";
  }
  return "unknown";
}

/** Time a request may still arrive after it was sent, in milliseconds. */
export const lateMs = 60_000;

/** Looks until a request that has not started anything can no longer arrive. */
export async function untilSettled(
  context: Pick<NodeContext, "clock" | "signal">,
  { sentAt = 0, unsent }: Attempt,
  look: () => Promise<Reconciled>,
): Promise<Reconciled> {
  for await (const _ of poll(context)) {
    const found = await look();
    const mayArrive = !unsent && context.clock.now() - sentAt < lateMs;
    if (found !== "not-started" || !mayArrive) return found;
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

/** Reports whether an error is about the node or the connection to it. */
export function isOfNode(error: unknown): error is RpcError | ConnectError {
  return error instanceof RpcError || error instanceof ConnectError;
}

/** Looks until the timeout; `undefined` if it is reached. */
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

/** Distinguishes a call aborted by the timeout from a failed one. */
export function isLate(error: unknown, signal: AbortSignal): boolean {
  // Clocks and users raise their own errors.
  return signal.aborted && error === signal.reason;
}
