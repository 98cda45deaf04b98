/** Connecting with what Node.js has, which takes longer to load and tells more. */

import { attemptOf, tooLong } from "./connect_error.ts";
import { Connection } from "./connection.ts";
import { withDeadline } from "../call/deadline.ts";
import { explained } from "./explain.ts";
import { socketStream } from "../http2/socket_stream.ts";
import {
  type DialOptions,
  newProgress,
  type Progress,
  secured,
} from "./endpoint_socket.ts";

/**
 * Connects to an endpoint, through a proxy and with any kind of trust.
 *
 * @param options Where to, and whom to accept.
 * @param progress Written as it goes on.
 * @returns A connection that the server has accepted.
 * @throws {ConnectError} With the one cause.
 */
export function dialSocket(
  options: DialOptions,
  progress: Progress = newProgress(),
): Promise<Connection> {
  return attempted(options, async (limited, progress) => {
    const socket = await secured(limited, progress);
    progress.stage = "http2";
    const { CN } = socket.getPeerCertificate().subject ?? {};
    const peerName = typeof CN === "string" ? CN : undefined;
    const bytes = socketStream(socket);
    return await Connection.open(bytes, { ...limited, peerName });
  }, progress);
}

/**
 * Makes an attempt: in time, or with the one cause.
 *
 * @param options Where to, and whom to accept.
 * @param run The attempt; its signal aborts when time is up.
 * @param progress Written as it goes on.
 * @returns What `run` gave; its sockets stay open.
 * @throws {ConnectError} With the one cause.
 */
export async function attempted<T>(
  options: DialOptions,
  run: (options: DialOptions, progress: Progress) => Promise<T>,
  progress: Progress = newProgress(),
): Promise<T> {
  const deadlineMs = options.timeoutMs;
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
