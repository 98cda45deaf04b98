/** Time as simulated nodes see it. */

import { pause } from "../transport/pause.ts";

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
}

/** The clock of this machine. */
export const systemClock: Clock = { now: Date.now, sleep: pause };
