/** Notices that a process did not run: it was stopped, or its machine slept. */

import type { OperationClock } from "../../../lib/clock.ts";

interface SuspensionWatch {
  /** Starts, unless it has started. */
  readonly start: () => void;
  /** For how long the process did not run, in milliseconds; 0 when that was not too long. */
  readonly suspendedMs: () => number;
  readonly reset: () => void;
}

/**
 * Makes a watch, by a beat that the process misses while it does not run.
 *
 * @param longestMs What is not too long, in milliseconds.
 * @param signal Ends it.
 */
export function watchSuspension(
  clock: OperationClock,
  longestMs: number,
  signal: AbortSignal,
): SuspensionWatch {
  let beatAt: number | undefined;
  let missedMs = 0;

  function beat(): void {
    const now = clock.now();
    const gap = now - (beatAt ?? now);
    if (gap > longestMs) missedMs = gap;
    beatAt = now;
  }

  async function start(): Promise<void> {
    if (beatAt !== undefined) return;
    while (!signal.aborted) {
      beat();
      // A beat follows the one before.
      await clock.sleep(longestMs / 4, signal);
    }
  }

  return {
    start: () => void start(),
    suspendedMs() {
      if (beatAt !== undefined) beat();
      return missedMs;
    },
    reset: () => void (missedMs = 0),
  };
}
