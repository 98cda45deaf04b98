/** A signal that also aborts when time is up. */

import { RpcError } from "../errors.ts";

/** A running deadline. */
export interface Deadline {
  /** Aborts at the deadline with an `RpcError`, or with the signal it was made from. */
  readonly signal: AbortSignal;
  /** Stops the clock and lets go of the other signal. */
  readonly clear: () => void;
}

/**
 * Starts a deadline.
 *
 * @param options What else aborts, and the time in milliseconds; 0 or left out, no deadline.
 */
export function withDeadline(
  { signal, deadlineMs = 0 }: {
    readonly signal?: AbortSignal;
    readonly deadlineMs?: number;
  },
): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  const timer = deadlineMs > 0
    ? setTimeout(() => controller.abort(tooLate(deadlineMs)), deadlineMs)
    : undefined;
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}

function tooLate(deadlineMs: number): RpcError {
  return new RpcError(
    "DEADLINE_EXCEEDED",
    `No complete answer within ${deadlineMs / 1000} s`,
    { hint: "Allow more time with --node-timeout" },
  );
}
