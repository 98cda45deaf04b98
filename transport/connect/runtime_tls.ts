/** TLS of the runtime itself: faster than that of Node.js and loaded with it, but with fewer choices. */

import type { ByteStream } from "../http2/byte_stream.ts";
import { prepareSendAtOnce, sendAtOnce } from "./no_delay.ts";
import type { DialOptions, Progress } from "./endpoint_socket.ts";

/** Who is trusted, and who we are. */
export interface RuntimeIdentity {
  /** Authorities, PEM. */
  readonly ca: string;
  /** Keys of the authorities. */
  readonly authorities: readonly CryptoKey[];
  /** Client certificate, PEM. */
  readonly crt?: string;
  /** Its key, PEM. */
  readonly key?: string;
}

/** Who answered. */
export interface Peer {
  /** Certificate, DER. */
  readonly certificate: Uint8Array;
  /** Common name in it. */
  readonly name: string | undefined;
}

/** What a handshake gave. */
export interface Secured {
  /** The connection. */
  readonly bytes: ByteStream;
  /** Who answered. */
  readonly peer: Peer;
}

/** What the runtime knows of a certificate. */
interface ShownCertificate {
  readonly raw: Uint8Array;
  readonly subject?: { readonly CN?: unknown };
}

/**
 * Connects up to the end of the TLS handshake.
 *
 * @param options Where to, and what ends the attempt.
 * @param identity Whom to accept beside those the system trusts.
 * @param progress Written as it goes on.
 * @throws What the runtime raises, or the reason of the signal.
 */
export async function connectTls(
  { endpoint: { host, port }, signal }: DialOptions,
  { ca, crt, key }: RuntimeIdentity,
  progress: Progress,
): Promise<Secured> {
  signal.throwIfAborted();
  const connecting = Deno.connectTls({
    hostname: host,
    port,
    caCerts: [ca],
    ...crt && key ? { cert: crt, key } : {},
    alpnProtocols: ["h2"],
  });
  prepareSendAtOnce(); // while it connects
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    const connection = await Promise.race([connecting, aborted.promise]);
    sendAtOnce(connection);
    progress.stage = "tls";
    await Promise.race([connection.handshake(), aborted.promise]);
    return { bytes: streamOf(connection), peer: peerOf(connection) };
  } catch (error) {
    // An attempt to connect cannot be ended, only forgotten.
    connecting.then((connection) => connection.close(), () => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Closing twice is no mistake here: both an attempt and what was made of it close. */
function streamOf(connection: Deno.TlsConn): ByteStream {
  let closed = false;
  return {
    read: (into) => connection.read(into),
    write: (bytes) => connection.write(bytes),
    close() {
      if (!closed) connection.close();
      closed = true;
    },
  };
}

/** The runtime shows the certificate only to its own modules, under a name that is no secret. */
function peerOf(connection: Deno.TlsConn): Peer {
  const prototype = Object.getPrototypeOf(connection);
  const method = Object.getOwnPropertySymbols(prototype).find((symbol) =>
    symbol.description === "getPeerCertificate"
  );
  const shown: ShownCertificate | undefined = method &&
    Reflect.apply(prototype[method], connection, [false]);
  if (shown === undefined) throw new Error("The runtime shows no certificate");
  const { CN } = shown.subject ?? {};
  return {
    certificate: shown.raw,
    name: typeof CN === "string" ? CN : undefined,
  };
}
