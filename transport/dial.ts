/** Connecting to an endpoint: TCP, proxy, TLS, HTTP/2. */

import { connect, type Socket } from "node:net";
import { Connection } from "./connection.ts";
import type { Endpoint } from "./endpoint.ts";
import { checkFingerprint, startTls, type Trust } from "./trust.ts";
import { untilEvent } from "./until_event.ts";

/** What a dial is told. */
export interface DialOptions {
  /** Where to. */
  readonly endpoint: Endpoint;
  /** Whom to accept there. */
  readonly trust: Trust;
  /** Longest time until the connection is usable, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/**
 * Connects to an endpoint.
 *
 * @param options Where to, and whom to accept.
 * @returns A connection that the server has accepted.
 */
export async function dial(options: DialOptions): Promise<Connection> {
  const { endpoint, trust, signal } = options;
  const raw = await connectTcp(endpoint, signal);
  const socket = startTls(raw, endpoint, trust);
  socket.on("error", () => {});
  await untilEvent(socket, "secureConnect", signal);
  if (trust.kind === "maintenance") {
    await checkFingerprint(socket, endpoint, trust.fingerprints);
  }
  return await Connection.open(socket, endpoint, signal);
}

async function connectTcp(
  { host, port }: Endpoint,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 15_000,
  });
  socket.on("error", () => {});
  await untilEvent(socket, "connect", signal);
  return socket;
}
