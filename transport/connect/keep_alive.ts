/** Keep-alive pings, to detect lost connections. */

import type { Http2Session } from "../http2/session.ts";
import { after } from "../../lib/timer.ts";

/** Interval and timeout of pings. */
export interface KeepAliveOptions {
  /** Interval in milliseconds. */
  readonly everyMs: number;
  /** Timeout of a ping in milliseconds. */
  readonly timeoutMs: number;
}

/** Short enough to detect a resumed laptop or lost packets before the user does. */
export const defaultKeepAlive: KeepAliveOptions = {
  everyMs: 20_000,
  timeoutMs: 20_000,
};

/** Extra wait in milliseconds: after a suspend, the reply may have arrived in time but not been read yet. */
const wakeMs = 20;

/** Pings of one connection. */
export interface KeepAlive {
  readonly start: () => void;
  /** Pings at once, also if not started; `answered` is called on the reply. */
  readonly ask: (answered: () => void) => void;
  /** Stops, and drops a pending ping. */
  readonly stop: () => void;
}

/**
 * Creates the pings of a connection, not started.
 *
 * A ping that times out destroys the session with an error.
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
    // No other code may be left to do it.
    stop();
    session.destroy(new Error(`No answer to a ping within ${timeoutMs} ms`));
  }

  return { start, ask, stop };
}
