/** Connects with the Node.js API, which is slower to load but reports more about errors. */

import {
  connectError,
  distrust,
  isDistrust,
  isRefusal,
  startAttempt,
  tooLong,
} from "./connect_error.ts";
import { Connection } from "./connection.ts";
import { withDeadline } from "../call/deadline.ts";
import {
  type DialOptions,
  type DialProgress,
  newProgress,
  openTls,
} from "./endpoint_socket.ts";
import { OsctlError } from "../../errors.ts";
import { judgePeer, type PeerVerdict } from "./peer.ts";
import { peerCertificate, type Trust } from "./trust.ts";
import { untilEvent } from "./until_event.ts";
import type { TLSSocket } from "node:tls";
import type { ByteStream } from "../http2/byte_stream.ts";

/**
 * Connects to an endpoint; supports proxies and all kinds of trust.
 *
 * @param options Endpoint, proxy and trust.
 * @returns A connection accepted by the server.
 * @throws {ConnectError} With the root cause.
 */
export function dialSocket(
  options: DialOptions,
  progress: DialProgress = newProgress(),
): Promise<Connection> {
  return attemptDial(options, async (limited, progress) => {
    const socket = await openTls(limited, progress);
    progress.stage = "http2";
    const { CN } = socket.getPeerCertificate().subject ?? {};
    const peerName = typeof CN === "string" ? CN : undefined;
    const bytes = socketStream(socket);
    return await Connection.open(bytes, { ...limited, peerName });
  }, progress);
}

/**
 * Runs a connection attempt with a timeout.
 *
 * @param options Endpoint, proxy and trust.
 * @param run The attempt; its signal aborts on timeout.
 * @returns Result of `run`; its sockets stay open.
 * @throws {ConnectError} With the root cause.
 */
export async function attemptDial<T>(
  options: DialOptions,
  run: (options: DialOptions, progress: DialProgress) => Promise<T>,
  progress: DialProgress = newProgress(),
): Promise<T> {
  const deadlineMs = options.timeoutMs;
  const late = () => tooLong(startAttempt(options, progress), deadlineMs);
  const { signal, clear } = withDeadline({ ...options, deadlineMs, late });
  try {
    return await run({ ...options, signal }, progress);
  } catch (error) {
    for (const socket of progress.sockets) socket.destroy();
    if (signal.aborted) throw signal.reason;
    throw await explainFailure({ ...options, signal }, progress, error);
  } finally {
    clear();
  }
}

/** Timeout for the TLS alert of a server, in milliseconds. */
const refusalMs = 1_000;

/**
 * Finds the root cause of a failed attempt.
 *
 * @param options Options of the attempt; the signal also bounds the second attempt.
 * @returns A `ConnectError`, or the original error if it is specific enough.
 */
export async function explainFailure(
  options: DialOptions,
  progress: DialProgress,
  error: unknown,
): Promise<unknown> {
  if (error instanceof OsctlError) return error;
  const { stage, error: seen = error } = progress;
  const attempt = startAttempt(options, progress);
  if (options.trust.kind === "maintenance") return connectError(attempt, seen);
  if (stage === "tls" && isDistrust(seen)) {
    const verdict = await judgeServer(options).catch(() => undefined);
    if (verdict) return distrust(attempt, verdict, seen);
  }
  if (stage === "http2" && !isRefusal(seen)) {
    return connectError(attempt, await refusal(options) ?? seen);
  }
  return connectError(attempt, seen);
}

/** Fetches the rejected certificate, without a client certificate, and finds its problem. */
async function judgeServer(
  options: DialOptions,
  now: Date = new Date(),
): Promise<PeerVerdict> {
  const progress = newProgress();
  const anybody: Trust = { kind: "maintenance", fingerprints: [] };
  try {
    const socket = await openTls({ ...options, trust: anybody }, progress);
    const ca = options.trust.kind === "verified"
      ? options.trust.identity.ca
      : undefined;
    const expectation = { ca, host: options.endpoint.host, now };
    return judgePeer(peerCertificate(socket), expectation);
  } finally {
    for (const socket of progress.sockets) socket.destroy();
  }
}

/**
 * Connects again without sending data, to receive the alert of the server.
 *
 * With TLS 1.3 the alert comes after the handshake. Data already sent by the client is answered with a reset,
 * and the alert is lost.
 */
async function refusal(options: DialOptions): Promise<unknown> {
  const progress = newProgress();
  const { signal, clear } = withDeadline({
    signal: options.signal,
    deadlineMs: refusalMs,
  });
  try {
    const socket = await openTls({ ...options, signal }, progress);
    socket.resume(); // required to get the alert
    await untilEvent(socket, "close", signal);
  } catch {
    // Whatever ended it, the first error of the sockets is what counts.
  } finally {
    clear();
    for (const socket of progress.sockets) socket.destroy();
  }
  return isRefusal(progress.error) ? progress.error : undefined;
}

/** Reads and writes a socket. */
export function socketStream(socket: TLSSocket): ByteStream {
  let rest: Uint8Array | null = null;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  socket.on("error", (error: unknown) => failure ??= { error });
  for (const event of ["readable", "end", "error", "close"]) {
    socket.on(event, () => wake());
  }

  async function readSocket(into: Uint8Array): Promise<number | null> {
    while (true) {
      rest ??= socket.read();
      if (rest !== null) break;
      if (failure !== undefined) throw failure.error;
      if (socket.readableEnded || socket.destroyed) return null;
      await new Promise<void>((resolve) => wake = resolve);
    }
    const size = Math.min(into.length, rest.length);
    into.set(rest.subarray(0, size));
    rest = size < rest.length ? rest.subarray(size) : null;
    return size;
  }

  function write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) =>
      socket.write(
        bytes,
        (error) => error ? reject(error) : resolve(bytes.length),
      )
    );
  }

  return { read: readSocket, write, close: () => void socket.destroy() };
}
