/** Connects to an endpoint: with Deno's TLS if possible, else with the TLS of Node.js. */

import {
  connectError,
  findCode,
  startAttempt,
  tooLong,
} from "./connect_error.ts";
import { Connection } from "./connection.ts";
import { withDeadline } from "../call/deadline.ts";
import { connectTls, type RuntimeIdentity } from "./runtime_tls.ts";
import type { DialOptions, DialProgress } from "./endpoint_socket.ts";

/**
 * Connects to an endpoint.
 *
 * @param options Endpoint, proxy and trust.
 * @returns A connection accepted by the server.
 * @throws {ConnectError} With the root cause.
 */
export async function dial(options: DialOptions): Promise<Connection> {
  const identity = await simpleIdentity(options);
  if (identity === undefined) return await dialOtherwise(options);
  const progress: DialProgress = { stage: "tcp", sockets: [] };
  const deadlineMs = options.timeoutMs;
  const late = () => tooLong(startAttempt(options, progress), deadlineMs);
  const { signal, clear } = withDeadline({ ...options, deadlineMs, late });
  const limited = { ...options, signal };
  try {
    return await dialHere(limited, identity, progress);
  } catch (error) {
    signal.throwIfAborted();
    if (saysEnough(error, progress)) {
      throw connectError(startAttempt(options, progress), error);
    }
    // Deno's errors are only text; retry with Node.js, which has error codes and may also succeed.
    progress.stage = "tcp";
    return await dialOtherwise(limited, progress);
  } finally {
    clear();
  }
}

/** True if the error of the runtime is specific enough. */
function saysEnough(error: unknown, { stage }: DialProgress): boolean {
  if (stage === "http2") return false;
  return findCode(error) !== "" || error instanceof Deno.errors.UnexpectedEof;
}

/** Options for Deno's TLS; `undefined` if it does not support them. */
async function simpleIdentity(
  { trust, proxy }: DialOptions,
): Promise<RuntimeIdentity | undefined> {
  if (proxy !== undefined || trust.kind !== "verified") return undefined;
  const { ca, crt, key } = trust.identity;
  if (ca === undefined) return undefined;
  const caKeys = await parseCas(ca);
  if (caKeys.length === 0) return undefined;
  return { ca, caKeys, ...crt && key ? { crt, key } : {} };
}

async function dialHere(
  options: DialOptions,
  identity: RuntimeIdentity,
  progress: DialProgress,
): Promise<Connection> {
  const { bytes, peer } = await connectTls(options, identity, progress);
  try {
    progress.stage = "http2";
    const [connection, signed] = await Promise.all([
      Connection.open(bytes, { ...options, peerName: peer.name }),
      // Deno also trusts the system CAs.
      isSignedBy(peer.certificate, identity.caKeys),
    ]);
    if (signed) return connection;
    throw new Error("Its certificate is signed by another CA");
  } catch (error) {
    bytes.close();
    throw error;
  }
}

async function dialOtherwise(
  options: DialOptions,
  progress?: DialProgress,
): Promise<Connection> {
  const { dialSocket } = await import("./diagnostic_dial.ts");
  return await dialSocket(options, progress);
}

/** SubjectPublicKeyInfo prefix of an Ed25519 key: algorithm, and a bit string of 32 bytes. */
const ed25519Key = "302a300506032b6570032100";
const ed25519KeySize = 44;

const pemBlock = /-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g;

/**
 * Returns the Ed25519 keys of CAs, the type Talos uses.
 *
 * @param ca Certificates, PEM.
 * @returns Ed25519 keys; none if a certificate is invalid.
 */
async function parseCas(ca: string): Promise<readonly CryptoKey[]> {
  const keys: CryptoKey[] = [];
  for (const [, base64 = ""] of ca.matchAll(pemBlock)) {
    try {
      const spki = publicKeyIn(Uint8Array.fromBase64(base64));
      if (spki === undefined) continue;
      keys.push(
        await crypto.subtle.importKey("spki", spki, "Ed25519", false, [
          "verify",
        ]),
      );
    } catch {
      return []; // reported elsewhere
    }
  }
  return keys;
}

/**
 * Checks whether a certificate is signed by one of the keys.
 *
 * @param certificate DER.
 * @param caKeys Ed25519 keys.
 */
async function isSignedBy(
  certificate: Uint8Array,
  caKeys: readonly CryptoKey[],
): Promise<boolean> {
  const [content, , signature] = elements(elements(certificate)[0]?.content);
  if (content === undefined || signature === undefined) return false;
  // The first byte of a bit string counts its unused bits.
  const bytes = signature.content.slice(1);
  for (const key of caKeys) {
    const signed = content.whole.slice();
    if (await crypto.subtle.verify("Ed25519", key, bytes, signed)) return true;
  }
  return false;
}

function publicKeyIn(
  certificate: Uint8Array,
): Uint8Array<ArrayBuffer> | undefined {
  const [content] = elements(elements(certificate)[0]?.content);
  const key = elements(content?.content).find(({ whole }) =>
    whole.length === ed25519KeySize &&
    whole.subarray(0, 12).toHex() === ed25519Key
  );
  return key?.whole.slice();
}

interface Element {
  readonly whole: Uint8Array;
  readonly content: Uint8Array;
}

/** Parses a sequence of DER values; stops at a truncated one. */
function elements(bytes: Uint8Array = new Uint8Array()): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const first = bytes[at + 1]!; // checked by the loop condition
    const more = first < 128 ? 0 : first & 127;
    const length = more === 0
      ? first
      : bytes.subarray(at + 2, at + 2 + more).reduce((n, b) => n * 256 + b, 0);
    const start = at + 2 + more;
    if (start + length > bytes.length) break;
    found.push({
      whole: bytes.subarray(at, start + length),
      content: bytes.subarray(start, start + length),
    });
    at = start + length;
  }
  return found;
}
