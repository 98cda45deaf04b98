import { connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { DialStage } from "./connect_error.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Proxy } from "./proxy.ts";
import { checkFingerprint, startTls, type Trust } from "./trust.ts";
import { tunnel } from "./tunnel.ts";
import { untilEvent } from "./until_event.ts";

/** Idle time before the system sends TCP keep-alives, in milliseconds. */
const keepAliveMs = 15_000;

/** Options of a dial. */
export interface DialOptions {
  readonly endpoint: Endpoint;
  readonly trust: Trust;
  /** Proxy to the endpoint; default none. */
  readonly proxy?: Proxy | undefined;
  /** Timeout for establishing the connection, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Progress of an attempt, updated while it runs. */
export interface DialProgress {
  stage: DialStage;
  /** Sockets to close if the attempt fails. */
  readonly sockets: Socket[];
  /** First socket error; later ones are only consequences. */
  error?: unknown;
}

/** Creates the progress of a new attempt. */
export function newProgress(): DialProgress {
  return { stage: "tcp", sockets: [] };
}

/** Connects and completes the TLS handshake. */
export async function openTls(
  options: DialOptions,
  progress: DialProgress,
): Promise<TLSSocket> {
  const { endpoint, trust, signal } = options;
  const raw = await openReached(options, progress);
  progress.stage = "tls";
  const socket = startTls(raw, endpoint, trust);
  watch(socket, progress);
  await untilEvent(socket, "secureConnect", signal);
  if (trust.kind === "maintenance") {
    await checkFingerprint(socket, endpoint, trust.fingerprints);
  }
  return socket;
}

/** Opens a TCP connection to the endpoint, directly or through a proxy. */
export async function openReached(
  { endpoint, proxy, signal }: DialOptions,
  progress: DialProgress,
): Promise<Socket> {
  const socket = openTcp((proxy ?? { endpoint }).endpoint);
  watch(socket, progress);
  await untilEvent(socket, "connect", signal);
  if (proxy === undefined) return socket;
  progress.stage = "proxy";
  const way = proxy.kind === "https"
    ? startTls(socket, proxy.endpoint, { kind: "verified", identity: {} })
    : socket;
  if (way !== socket) {
    watch(way, progress);
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

function watch(socket: Socket, progress: DialProgress): void {
  progress.sockets.push(socket);
  socket.on("error", (error) => progress.error ??= error);
}
