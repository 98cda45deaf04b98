/** A clock that jumps to whatever is due next when everybody waits. */

import type { Clock } from "./clock.ts";

/** A virtual clock. */
export interface VirtualClock extends Clock {
  /**
   * Lets time go on until some work has ended; otherwise it stands still.
   *
   * @param work What waits on this clock, or on what waits on it.
   * @returns What the work gives.
   * @throws What it throws.
   */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Lets an amount of time pass.
   *
   * @param ms In milliseconds.
   */
  readonly pass: (ms: number) => Promise<void>;
  /**
   * Keeps time from going on while something takes real time: files, cryptography.
   *
   * @param work That; it must not wait on this clock.
   */
  readonly hold: <T>(work: Promise<T>) => Promise<T>;
}
