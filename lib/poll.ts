/** Looks at something again and again. */

import type { OperationClock } from "./clock.ts";
import { pause } from "./pause.ts";

/** What paces the looks. */
export interface PollPace {
  /** Time, default that of this process. */
  readonly clock?: OperationClock;
  /** Ends the looks. */
  readonly signal: AbortSignal;
}

/** How often and how long. */
export interface PollOptions {
  /** Pause behind each look, in milliseconds; default 500. */
  readonly everyMs?: number;
  /** Time after which no look begins, in milliseconds; default none. */
  readonly timeoutMs?: number;
}

const realClock: OperationClock = {
  now: () => performance.now(),
  sleep: pause,
};

/**
 * Says when to look: at once, and a pause after each look has ended.
 *
 * @returns Milliseconds since the first look; ends when the signal aborts or the time is up.
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
