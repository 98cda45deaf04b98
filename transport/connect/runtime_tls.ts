/** Deno's own TLS: faster than the TLS of Node.js and already loaded, but with fewer options. */

import type { ByteStream } from "../http2/byte_stream.ts";
import type { DialOptions, DialProgress } from "./endpoint_socket.ts";

/** CAs and client certificate. */
export interface RuntimeIdentity {
  readonly ca: string;
  readonly caKeys: readonly CryptoKey[];
  readonly crt?: string;
  readonly key?: string;
}

interface Peer {
  readonly certificate: Uint8Array;
  readonly name: string | undefined;
}

interface TlsSession {
  readonly bytes: ByteStream;
  readonly peer: Peer;
}

interface RuntimeCertificate {
  readonly raw: Uint8Array;
  readonly subject?: { readonly CN?: unknown };
}

/**
 * Connects and completes the TLS handshake.
 *
 * @param identity CAs to trust in addition to the system CAs, and the client certificate.
 * @throws The error of the runtime, or the abort reason.
 */
export async function connectTls(
  { endpoint: { host, port }, signal }: DialOptions,
  { ca, crt, key }: RuntimeIdentity,
  progress: DialProgress,
): Promise<TlsSession> {
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
    return { bytes: openStream(connection), peer: readPeer(connection) };
  } catch (error) {
    // A connection attempt cannot be canceled, only abandoned.
    connecting.then((connection) => connection.close(), () => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Closing twice is allowed: both an attempt and its connection close. */
function openStream(connection: Deno.TlsConn): ByteStream {
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

/** Deno exposes the certificate only to its own modules, under an internal but known name. */
function readPeer(connection: Deno.TlsConn): Peer {
  const prototype = Object.getPrototypeOf(connection);
  const method = Object.getOwnPropertySymbols(prototype).find((symbol) =>
    symbol.description === "getPeerCertificate"
  );
  const shown: RuntimeCertificate | undefined = method &&
    Reflect.apply(prototype[method], connection, [false]);
  if (shown === undefined) throw new Error("The runtime shows no certificate");
  const { CN } = shown.subject ?? {};
  return {
    certificate: shown.raw,
    name: typeof CN === "string" ? CN : undefined,
  };
}

const libraries: Readonly<Record<string, string>> = {
  linux: "libc.so.6",
  darwin: "libSystem.B.dylib",
};

const functions = {
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getpeername: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  setsockopt: {
    parameters: ["i32", "i32", "i32", "buffer", "u32"],
    result: "i32",
  },
} as const;

type Library = Deno.DynamicLibrary<typeof functions>["symbols"];

/** `IPPROTO_TCP` and `TCP_NODELAY`, the same on all systems named above. */
const tcp = 6;
const noDelay = 1;

/** Number of descriptors to check; sockets with higher ones are not changed. */
const mostDescriptors = 1024;

let library: Library | undefined;

/** Prepares {@linkcode sendAtOnce}, which takes 1 ms once per process. Returns false if not supported. */
export function prepareSendAtOnce(): boolean {
  try {
    const name = libraries[Deno.build.os];
    if (library !== undefined || name === undefined) {
      return library !== undefined;
    }
    // Query, since a request would prompt the user.
    const { state } = Deno.permissions.querySync({ name: "ffi" });
    if (state === "granted") library = Deno.dlopen(name, functions).symbols;
  } catch {
    // Another C library: it continues as if there were none.
  }
  return library !== undefined;
}

/**
 * Sets `TCP_NODELAY` (RFC 896, RFC 1122 4.2.3.4).
 *
 * Without it, the second of two small packets waits for the acknowledgment of the first, which the other side
 * delays by 40 ms. This affects every handshake with a client certificate, and concurrent calls.
 *
 * @param connection An open connection; the socket is found by its addresses.
 * @returns False if not supported: everything works, but slower.
 */
export function sendAtOnce(
  { localAddr, remoteAddr }: Pick<
    Deno.Conn<Deno.NetAddr>,
    "localAddr" | "remoteAddr"
  >,
): boolean {
  if (!prepareSendAtOnce() || library === undefined) return false;
  const { getsockname, getpeername, setsockopt } = library;
  for (let descriptor = 0; descriptor < mostDescriptors; descriptor++) {
    if (readPort(getsockname, descriptor) !== localAddr.port) continue;
    if (readPort(getpeername, descriptor) !== remoteAddr.port) continue;
    const on = new Int32Array([1]);
    return setsockopt(descriptor, tcp, noDelay, on, on.byteLength) === 0;
  }
  return false;
}

const address = new Uint8Array(28);
const addressSize = new Uint32Array(1);

function readPort(
  name: Library["getsockname"],
  descriptor: number,
): number | undefined {
  addressSize[0] = address.length;
  if (name(descriptor, address, addressSize) !== 0) return undefined;
  return address[2]! * 256 + address[3]!; // same offset for IPv4 and IPv6
}
