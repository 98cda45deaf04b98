import { pause } from "../../lib/pause.ts";

/** Where the present and waiting come from. */
export interface Clock {
  /** The present, in milliseconds since 1970. */
  readonly now: () => number;
  /**
   * Waits.
   *
   * @param ms How long; 0 or less returns at the next turn of the event loop.
   * @param signal Ends the wait early; the promise then resolves.
   */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Keeps time from continuing while something takes real time; absent where time continues by itself. */
  readonly hold?: <T>(work: Promise<T>) => Promise<T>;
}

/**
 * Waits for what takes real time: files, cryptography.
 *
 * @param clock Clock that is to stand still meanwhile, if it can.
 * @param work What is waited for; it must not wait on the clock.
 */
export function inRealTime<T>(
  { hold }: Pick<Clock, "hold">,
  work: Promise<T>,
): Promise<T> {
  return hold ? hold(work) : work;
}

/** The clock of this machine. */
export const systemClock: Clock = { now: Date.now, sleep: pause };

/** Resolves when a signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
