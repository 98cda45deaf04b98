/** Connecting to an endpoint: with the TLS of the runtime itself where it can, else with that of Node.js. */

import { attemptOf, codeOf, connectError, tooLong } from "./connect_error.ts";
import { Connection } from "./connection.ts";
import { withDeadline } from "../call/deadline.ts";
import { authoritiesOf, isSignedBy } from "./issuer.ts";
import { connectTls, type RuntimeIdentity } from "./runtime_tls.ts";
import type { DialOptions, Progress } from "./endpoint_socket.ts";

/**
 * Connects to an endpoint.
 *
 * @param options Where to, and whom to accept.
 * @returns A connection that the server has accepted.
 * @throws {ConnectError} With the one cause.
 */
export async function dial(options: DialOptions): Promise<Connection> {
  const identity = await simpleIdentity(options);
  if (identity === undefined) return await dialOtherwise(options);
  const progress: Progress = { stage: "tcp", sockets: [] };
  const deadlineMs = options.timeoutMs;
  const late = () => tooLong(attemptOf(options, progress), deadlineMs);
  const { signal, clear } = withDeadline({ ...options, deadlineMs, late });
  const limited = { ...options, signal };
  try {
    return await dialHere(limited, identity, progress);
  } catch (error) {
    signal.throwIfAborted();
    if (saysEnough(error, progress)) {
      throw connectError(attemptOf(options, progress), error);
    }
    // The runtime has words for what is wrong, and the other way has causes. It may also be what works.
    progress.stage = "tcp";
    return await dialOtherwise(limited, progress);
  } finally {
    clear();
  }
}

/** Whether the runtime gave a cause, or just words. */
function saysEnough(error: unknown, { stage }: Progress): boolean {
  if (stage === "http2") return false;
  return codeOf(error) !== "" || error instanceof Deno.errors.UnexpectedEof;
}

/** What the runtime's own TLS is told, if it can do what is asked for. */
async function simpleIdentity(
  { trust, proxy }: DialOptions,
): Promise<RuntimeIdentity | undefined> {
  if (proxy !== undefined || trust.kind !== "verified") return undefined;
  const { ca, crt, key } = trust.identity;
  if (ca === undefined) return undefined;
  const authorities = await authoritiesOf(ca);
  if (authorities.length === 0) return undefined;
  return { ca, authorities, ...crt && key ? { crt, key } : {} };
}

async function dialHere(
  options: DialOptions,
  identity: RuntimeIdentity,
  progress: Progress,
): Promise<Connection> {
  const { bytes, peer } = await connectTls(options, identity, progress);
  try {
    progress.stage = "http2";
    const [connection, signed] = await Promise.all([
      Connection.open(bytes, { ...options, peerName: peer.name }),
      // The runtime trusts the authorities of the system as well.
      isSignedBy(peer.certificate, identity.authorities),
    ]);
    if (signed) return connection;
    throw new Error("Its certificate is signed by another authority");
  } catch (error) {
    bytes.close();
    throw error;
  }
}

async function dialOtherwise(
  options: DialOptions,
  progress?: Progress,
): Promise<Connection> {
  const { dialSocket } = await import("./diagnostic_dial.ts");
  return await dialSocket(options, progress);
}
