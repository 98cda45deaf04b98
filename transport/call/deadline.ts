import { RpcError } from "../../errors.ts";
import { after } from "../../lib/timer.ts";

interface Deadline {
  /** Aborts at the deadline with an `RpcError`, or when the parent signal aborts. */
  readonly signal: AbortSignal;
  /** Stops the timer and the listener on the parent signal. */
  readonly clear: () => void;
}

interface DeadlineOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds until the deadline; 0 or omitted for none. */
  readonly deadlineMs?: number;
  /** Creates the error for the deadline; default an `RpcError`. */
  readonly late?: (deadlineMs: number) => unknown;
}

/** Shortest deadline of each signal and of those it follows, in milliseconds. */
const deadlines = new WeakMap<AbortSignal, number>();

/** Starts a deadline. */
export function withDeadline(
  { signal, deadlineMs = 0, late = tooLate }: DeadlineOptions,
): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  const forget = deadlineMs > 0
    ? after(deadlineMs, () => controller.abort(late(deadlineMs)))
    : undefined;
  const shortest = Math.min(deadlineMs || Infinity, findDeadline(signal));
  deadlines.set(controller.signal, shortest);
  return {
    signal: controller.signal,
    clear() {
      forget?.();
      signal?.removeEventListener("abort", abort);
    },
  };
}

/** Shortest deadline that a signal follows, in milliseconds from its start; infinite if there is none. */
export function findDeadline(signal: AbortSignal | undefined): number {
  return signal && deadlines.get(signal) || Infinity;
}

function tooLate(deadlineMs: number): RpcError {
  return new RpcError(
    "DEADLINE_EXCEEDED",
    `No complete answer within ${deadlineMs / 1000} s`,
    { hint: "Allow more time with --node-timeout" },
  );
}

/** Idle timeout of a stream. */
export interface Silence {
  /** Aborts with an `RpcError` after the idle timeout. */
  readonly signal: AbortSignal;
  /** Starts waiting for the next message. */
  readonly wait: () => void;
  /** To be called for each message; stops the timeout until the next `wait`. */
  readonly heard: () => void;
  readonly clear: () => void;
}

/** Number of checks within one timeout. */
const looks = 4;

/**
 * Starts an idle timeout, waiting for the first message.
 *
 * @param silenceMs Timeout for each message in milliseconds; detected up to a quarter later.
 */
export function withSilence(silenceMs: number): Silence {
  const controller = new AbortController();
  let waiting = true;
  let quiet = 0;
  let forget = () => {};
  const look = () => {
    lookLater();
    if (waiting && ++quiet > looks) controller.abort(tooQuiet(silenceMs));
  };
  // Not `setInterval`: loading it takes half the startup time of an empty program.
  const lookLater = () => {
    forget = after(silenceMs / looks, look);
  };
  lookLater();
  return {
    signal: controller.signal,
    wait() {
      [waiting, quiet] = [true, 0];
    },
    heard() {
      waiting = false;
    },
    clear: () => forget(),
  };
}

function tooQuiet(silenceMs: number): RpcError {
  return new RpcError(
    "DEADLINE_EXCEEDED",
    `No data for ${silenceMs / 1000} s`,
    { hint: "Allow more time with --node-timeout" },
  );
}
