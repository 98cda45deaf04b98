/** Connecting to an endpoint: TCP, proxy, TLS, HTTP/2. */

import { tooLong } from "./connect_error.ts";
import { Connection } from "./connection.ts";
import { withDeadline } from "./deadline.ts";
import { attemptOf, explained } from "./explain.ts";
import {
  type DialOptions,
  newProgress,
  type Progress,
  secured,
} from "./way.ts";

/**
 * Connects to an endpoint.
 *
 * @param options Where to, and whom to accept.
 * @returns A connection that the server has accepted.
 * @throws {ConnectError} With the one cause.
 */
export function dial(options: DialOptions): Promise<Connection> {
  return attempted(options, async (limited, progress) => {
    const socket = await secured(limited, progress);
    progress.stage = "http2";
    return await Connection.open(socket, limited);
  });
}

/**
 * Makes an attempt: in time, or with the one cause.
 *
 * @param options Where to, and whom to accept.
 * @param run The attempt; its signal aborts when time is up.
 * @returns What `run` gave; its sockets stay open.
 * @throws {ConnectError} With the one cause.
 */
export async function attempted<T>(
  options: DialOptions,
  run: (options: DialOptions, progress: Progress) => Promise<T>,
): Promise<T> {
  const deadlineMs = options.timeoutMs;
  const progress = newProgress();
  const late = () => tooLong(attemptOf(options, progress), deadlineMs);
  const { signal, clear } = withDeadline({ ...options, deadlineMs, late });
  try {
    return await run({ ...options, signal }, progress);
  } catch (error) {
    for (const socket of progress.sockets) socket.destroy();
    if (signal.aborted) throw signal.reason;
    throw await explained({ ...options, signal }, progress, error);
  } finally {
    clear();
  }
}
