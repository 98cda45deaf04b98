/** Finding out that the other side of a connection is gone, although nothing says so. */

import type { ClientHttp2Session } from "node:http2";

/** How often, and how long. */
export interface KeepAliveOptions {
  /** Time between two pings in milliseconds. */
  readonly everyMs: number;
  /** Longest time to the answer of a ping in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Every five minutes and ten seconds.
 *
 * Servers close connections that ping more often than every five minutes, the default of gRPC in Go.
 */
export const defaultKeepAlive: KeepAliveOptions = {
  everyMs: 310_000,
  timeoutMs: 20_000,
};

/** Pings of one connection. */
export interface KeepAlive {
  /** Begins, if it has not. */
  readonly start: () => void;
  /** Stops, and forgets the ping under way. */
  readonly stop: () => void;
}

/**
 * Makes the pings of a connection; they have to be started.
 *
 * A ping without an answer destroys the session with an error.
 *
 * @param session Where to.
 * @param options How often.
 */
export function keepAlive(
  session: Pick<ClientHttp2Session, "ping" | "destroy">,
  { everyMs, timeoutMs }: KeepAliveOptions,
): KeepAlive {
  let pings: ReturnType<typeof setInterval> | undefined;
  let overdue: ReturnType<typeof setTimeout> | undefined;

  function ping(): void {
    overdue ??= setTimeout(giveUp, timeoutMs);
    session.ping(() => {
      clearTimeout(overdue);
      overdue = undefined;
    });
  }

  function giveUp(): void {
    session.destroy(new Error(`No answer to a ping within ${timeoutMs} ms`));
  }

  return {
    start: () => pings ??= setInterval(ping, everyMs),
    stop() {
      clearInterval(pings);
      clearTimeout(overdue);
      pings = overdue = undefined;
    },
  };
}
