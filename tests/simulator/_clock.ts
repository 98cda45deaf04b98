/** A clock that tests move by hand. */

import type { Clock } from "../../simulator/clock/clock.ts";

/** The clock. */
export interface ManualClock extends Clock {
  /**
   * Moves time on; what has waited long enough continues.
   *
   * @returns When they have had their turn.
   */
  readonly advance: (ms: number) => Promise<void>;
}

/** Makes a clock that is at 2026-03-01T12:00:00Z; waits of no time end by themselves. */
export function manualClock(): ManualClock {
  let now = 1_772_366_400_000;
  const waiting = new Set<
    { readonly due: number; readonly wake: () => void }
  >();
  return {
    now: () => now,
    sleep(ms, signal) {
      if (ms <= 0) return turn();
      return new Promise((resolve) => {
        const wake = () => {
          waiting.delete(sleeper);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const sleeper = { due: now + ms, wake };
        if (signal?.aborted) return resolve();
        waiting.add(sleeper);
        signal?.addEventListener("abort", wake);
      });
    },
    async advance(ms) {
      now += ms;
      for (const { due, wake } of [...waiting]) if (due <= now) wake();
      await turn();
    },
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
