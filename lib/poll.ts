/** Polling. */

import type { OperationClock } from "./clock.ts";
import { pause } from "./pause.ts";

/** Clock and signal for polling. */
interface PollPace {
  /** Clock, default that of this process. */
  readonly clock?: OperationClock;
  readonly signal: AbortSignal;
}

/** Interval and timeout. */
interface PollOptions {
  /** Pause after each poll, in milliseconds; default 500. */
  readonly everyMs?: number;
  /** No poll starts after this time, in milliseconds; default none. */
  readonly timeoutMs?: number;
}

const realClock: OperationClock = {
  now: () => performance.now(),
  sleep: pause,
};

/**
 * Paces polls: the first at once, then a pause after each.
 *
 * @returns Milliseconds since the first poll; ends when the signal aborts or the timeout expires.
 */
export async function* poll(
  { clock = realClock, signal }: PollPace,
  { everyMs = 500, timeoutMs = Infinity }: PollOptions = {},
): AsyncGenerator<number, void> {
  const startedAt = clock.now();
  let waitedMs = 0;
  while (!signal.aborted && waitedMs < timeoutMs) {
    yield waitedMs;
    await clock.sleep(everyMs, signal);
    waitedMs = clock.now() - startedAt;
  }
}
