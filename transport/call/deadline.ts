import { RpcError } from "../../errors.ts";
import { after } from "../../lib/timer.ts";

interface Deadline {
  /** Aborts at the deadline with an `RpcError`, or with the signal it was made from. */
  readonly signal: AbortSignal;
  /** Stops the clock and lets go of the other signal. */
  readonly clear: () => void;
}

interface DeadlineOptions {
  /** Aborts at once when it does. */
  readonly signal?: AbortSignal;
  /** Milliseconds until the deadline; 0 or omitted, none. */
  readonly deadlineMs?: number;
  /** Makes what is raised at the deadline; default an `RpcError`. */
  readonly late?: (deadlineMs: number) => unknown;
}

/** Starts a deadline. `options`: when to abort. */
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
  return {
    signal: controller.signal,
    clear() {
      forget?.();
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

/** Watches that a stream continues. */
export interface Silence {
  /** Aborts with an `RpcError` when nothing came for too long. */
  readonly signal: AbortSignal;
  /** Begins to wait for the next message. */
  readonly wait: () => void;
  /** A message has come; until the next wait, silence is that of the reader. */
  readonly heard: () => void;
  readonly clear: () => void;
}

/** How often it is looked whether something came, in one length of the silence that is too long. */
const looks = 4;

/**
 * Watches a stream; it begins by waiting.
 *
 * @param silenceMs Longest wait for a message in milliseconds; it is noticed up to a quarter later.
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
  // Not `setInterval`, which loads what takes half as long as an empty program.
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
