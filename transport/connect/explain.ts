/** Finding the cause of a failed attempt, with a second one where the first does not tell. */

import { OsctlError } from "../../errors.ts";
import {
  attemptOf,
  connectError,
  distrust,
  isDistrust,
  isRefusal,
} from "./connect_error.ts";
import { withDeadline } from "../call/deadline.ts";
import { judgePeer, type Verdict } from "./peer.ts";
import { peerCertificate, type Trust } from "./trust.ts";
import { untilEvent } from "./until_event.ts";
import {
  type DialOptions,
  newProgress,
  type Progress,
  secured,
} from "./endpoint_socket.ts";

/** Longest wait for a server to say why it refuses, in milliseconds. */
const refusalMs = 1_000;

/**
 * Finds the one cause.
 *
 * @param options What was tried; its signal bounds the second attempt too.
 * @param progress How far it got.
 * @param error What was raised.
 * @returns A `ConnectError`, or what was raised if that says enough.
 */
export async function explained(
  options: DialOptions,
  progress: Progress,
  error: unknown,
): Promise<unknown> {
  if (error instanceof OsctlError) return error;
  const { stage, error: seen = error } = progress;
  const attempt = attemptOf(options, progress);
  if (options.trust.kind === "maintenance") return connectError(attempt, seen);
  if (stage === "tls" && isDistrust(seen)) {
    const verdict = await judged(options).catch(() => undefined);
    if (verdict) return distrust(attempt, verdict, seen);
  }
  if (stage === "http2" && !isRefusal(seen)) {
    return connectError(attempt, await refusal(options) ?? seen);
  }
  return connectError(attempt, seen);
}

/** Gets the certificate that was not accepted, showing none of ours, and judges it. */
async function judged(
  options: DialOptions,
  now: Date = new Date(),
): Promise<Verdict> {
  const progress = newProgress();
  const anybody: Trust = { kind: "maintenance", fingerprints: [] };
  try {
    const socket = await secured({ ...options, trust: anybody }, progress);
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
 * Lets the server refuse again, and only listens.
 *
 * With TLS 1.3 the refusal comes after the handshake. What the client has sent by then is answered with a reset, and
 * that takes the refusal with it.
 */
async function refusal(options: DialOptions): Promise<unknown> {
  const progress = newProgress();
  const { signal, clear } = withDeadline({
    signal: options.signal,
    deadlineMs: refusalMs,
  });
  try {
    const socket = await secured({ ...options, signal }, progress);
    socket.resume(); // nothing is told to who does not read
    await untilEvent(socket, "close", signal);
  } catch {
    // Whatever ended it, the first error of the sockets is what counts.
  } finally {
    clear();
    for (const socket of progress.sockets) socket.destroy();
  }
  return isRefusal(progress.error) ? progress.error : undefined;
}
