/** Finding out that the other side of a connection is gone, although nothing says so. */

import type { Http2Session } from "../http2/session.ts";
import { after } from "../../lib/timer.ts";

/** How often, and how long. */
export interface KeepAliveOptions {
  /** Time between two pings in milliseconds. */
  readonly everyMs: number;
  /** Longest time to the answer of a ping in milliseconds. */
  readonly timeoutMs: number;
}

/** Often enough to notice that a laptop has slept, or that packets are lost, before the user does. */
export const defaultKeepAlive: KeepAliveOptions = {
  everyMs: 20_000,
  timeoutMs: 20_000,
};

/** After a sleep of this process the answer may have come in time, and wait to be read, in milliseconds. */
const wakeMs = 20;

/** Pings of one connection. */
export interface KeepAlive {
  readonly start: () => void;
  /** Pings at once, started or not; `answered` is called when the answer comes. */
  readonly ask: (answered: () => void) => void;
  /** Stops, and forgets the ping under way. */
  readonly stop: () => void;
}

/**
 * Makes the pings of a connection; they have to be started.
 *
 * A ping without an answer destroys the session with an error.
 */
export function keepAlive(
  session: Pick<Http2Session, "ping" | "destroy">,
  { everyMs, timeoutMs }: KeepAliveOptions,
): KeepAlive {
  let next: (() => void) | undefined;
  let overdue: (() => void) | undefined;

  function start(): void {
    next ??= after(everyMs, ping);
  }

  function ping(): void {
    next = undefined;
    start();
    ask(() => {});
  }

  function ask(answered: () => void): void {
    overdue ??= after(timeoutMs, () => overdue = after(wakeMs, giveUp));
    session.ping(() => {
      overdue?.();
      overdue = undefined;
      answered();
    });
  }

  function stop(): void {
    next?.();
    overdue?.();
    next = overdue = undefined;
  }

  function giveUp(): void {
    // Nobody else may be left who would.
    stop();
    session.destroy(new Error(`No answer to a ping within ${timeoutMs} ms`));
  }

  return { start, ask, stop };
}
