/** Detects that the process did not run: it was stopped, or its machine was suspended. */

import type { OperationClock } from "../../../lib/clock.ts";

interface SuspensionWatch {
  /** Starts, unless already started. */
  readonly start: () => void;
  /** Time the process did not run, in milliseconds; 0 within the limit. */
  readonly suspendedMs: () => number;
  readonly reset: () => void;
}

/**
 * Makes a watch with a heartbeat, which a suspended process misses.
 *
 * @param longestMs Limit, in milliseconds.
 * @param signal Stops it.
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
      // Beats are sequential.
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
