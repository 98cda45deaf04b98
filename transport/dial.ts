/** Connecting to an endpoint: TCP, proxy, TLS, HTTP/2. */

import { connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { OsctlError } from "../errors.ts";
import {
  type Attempt,
  connectError,
  distrust,
  isDistrust,
  type Stage,
  tooLong,
} from "./connect_error.ts";
import { Connection } from "./connection.ts";
import { withDeadline } from "./deadline.ts";
import type { Endpoint } from "./endpoint.ts";
import { judgePeer, type Verdict } from "./peer.ts";
import type { Proxy } from "./proxy.ts";
import {
  checkFingerprint,
  peerCertificate,
  startTls,
  type Trust,
} from "./trust.ts";
import { tunnel } from "./tunnel.ts";
import { untilEvent } from "./until_event.ts";

/** Silence after which the system asks whether the other side is still there, in milliseconds. */
const keepAliveMs = 15_000;

/** What a dial is told. */
export interface DialOptions {
  /** Where to. */
  readonly endpoint: Endpoint;
  /** Whom to accept there. */
  readonly trust: Trust;
  /** Proxy on the way; left out, none. */
  readonly proxy?: Proxy | undefined;
  /** Longest time until the connection is usable, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** How far an attempt got; written as it goes on. */
export interface Progress {
  /** Step that is under way. */
  stage: Stage;
  /** What has to be closed when the attempt fails. */
  readonly sockets: Socket[];
}

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
  const progress: Progress = { stage: "tcp", sockets: [] };
  const late = () => tooLong(attempt(options, progress), deadlineMs);
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

/**
 * Connects up to the end of the TLS handshake.
 *
 * @param options Where to, and whom to accept.
 * @param progress Written as it goes on.
 */
export async function secured(
  options: DialOptions,
  progress: Progress,
): Promise<TLSSocket> {
  const { endpoint, trust, signal } = options;
  const raw = await reached(options, progress);
  progress.stage = "tls";
  const socket = startTls(raw, endpoint, trust);
  progress.sockets.push(watched(socket));
  await untilEvent(socket, "secureConnect", signal);
  if (trust.kind === "maintenance") {
    await checkFingerprint(socket, endpoint, trust.fingerprints);
  }
  return socket;
}

/**
 * Connects to the endpoint, or through a proxy.
 *
 * @param options Where to, and by which way.
 * @param progress Written as it goes on.
 */
export async function reached(
  { endpoint, proxy, signal }: DialOptions,
  progress: Progress,
): Promise<Socket> {
  const socket = openTcp((proxy ?? { endpoint }).endpoint);
  progress.sockets.push(watched(socket));
  await untilEvent(socket, "connect", signal);
  if (proxy === undefined) return socket;
  progress.stage = "proxy";
  const way = proxy.kind === "https"
    ? startTls(socket, proxy.endpoint, { kind: "verified", identity: {} })
    : socket;
  if (way !== socket) {
    progress.sockets.push(watched(way));
    await untilEvent(way, "secureConnect", signal);
  }
  await tunnel({ socket: way, proxy, endpoint, signal });
  return way;
}

function openTcp({ host, port }: Endpoint): Socket {
  return connect({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveMs,
  });
}

/** Keeps the first error: what follows it is only that the socket is closed. */
const firstErrors = new WeakMap<Socket, unknown>();

function watched<T extends Socket>(socket: T): T {
  socket.on("error", (error) => {
    if (!firstErrors.has(socket)) firstErrors.set(socket, error);
  });
  return socket;
}

function attempt(
  { endpoint, proxy, trust }: DialOptions,
  { stage }: Progress,
): Attempt {
  const identified = trust.kind === "verified" && !!trust.identity.crt;
  return { endpoint, proxy, stage, identified };
}

async function explained(
  options: DialOptions,
  progress: Progress,
  error: unknown,
): Promise<unknown> {
  if (error instanceof OsctlError) return error;
  const first = progress.sockets.map((socket) => firstErrors.get(socket))
    .find((one) => one !== undefined) ?? error;
  const { stage } = progress;
  if (stage !== "tls" || !isDistrust(first)) {
    return connectError(attempt(options, progress), first);
  }
  const verdict = await secondLook(options).catch(() => undefined);
  return verdict
    ? distrust(attempt(options, progress), verdict, first)
    : connectError(attempt(options, progress), first);
}

/** Gets the certificate that was not accepted, showing none of ours, and judges it. */
async function secondLook(options: DialOptions): Promise<Verdict | undefined> {
  if (options.trust.kind !== "verified") return undefined;
  const progress: Progress = { stage: "tcp", sockets: [] };
  const anybody: Trust = { kind: "maintenance", fingerprints: [] };
  try {
    const socket = await secured({ ...options, trust: anybody }, progress);
    const { ca } = options.trust.identity;
    const expectation = { ca, host: options.endpoint.host, now: new Date() };
    return judgePeer(peerCertificate(socket), expectation);
  } finally {
    for (const socket of progress.sockets) socket.destroy();
  }
}
