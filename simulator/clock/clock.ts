import { pause } from "../../lib/pause.ts";

/** Source of the current time and of sleeping. */
export interface Clock {
  /** Current time in milliseconds since 1970. */
  readonly now: () => number;
  /**
   * Sleeps.
   *
   * @param ms Duration in milliseconds; 0 or less returns at the next turn of the event loop.
   * @param signal Ends the wait early; the promise then resolves.
   */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Stops the clock while work takes real time; absent if the clock runs on its own. */
  readonly hold?: <T>(work: Promise<T>) => Promise<T>;
}

/**
 * Waits for work that takes real time: files, cryptography.
 *
 * @param clock Clock to stop meanwhile, if it can be stopped.
 * @param work Must not wait on the clock.
 */
export function inRealTime<T>(
  { hold }: Pick<Clock, "hold">,
  work: Promise<T>,
): Promise<T> {
  return hold ? hold(work) : work;
}

/** System clock of this machine. */
export const systemClock: Clock = { now: Date.now, sleep: pause };

/** Resolves when a signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
