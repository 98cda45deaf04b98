/** Whom a connection trusts, and how it shows who it is. */

import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import {
  checkServerIdentity,
  connect,
  type ConnectionOptions,
  type TLSSocket,
} from "node:tls";
import { ConnectError } from "../../errors.ts";
import { addressFamily } from "../../lib/ip.ts";
import type { Endpoint } from "./endpoint.ts";

/** Certificates of a context, each in PEM. */
export interface Identity {
  /** CAs the node must be signed by; omitted, those of the system. */
  readonly ca?: string | undefined;
  /** Client certificate; omitted, none is shown. */
  readonly crt?: string | undefined;
  /** Private key of `crt`. */
  readonly key?: string | undefined;
}

/** How the other side is checked. */
export type Trust =
  | {
    /** The node must show a certificate of the CA, and gets ours. */
    readonly kind: "verified";
    readonly identity: Identity;
  }
  | {
    /** Anybody is trusted, or who has one of the public keys; nothing is shown. */
    readonly kind: "maintenance";
    /** Accepted keys: base64 of SHA-256 of SubjectPublicKeyInfo; empty for any. */
    readonly fingerprints: readonly string[];
  };

/**
 * Starts TLS on a connection.
 *
 * @param socket Connection to the endpoint, directly or through a proxy.
 * @returns Not yet connected: `secureConnect` or `error` follows.
 */
export function startTls(
  socket: Socket,
  endpoint: Endpoint,
  trust: Trust,
): TLSSocket {
  return connect({
    socket,
    ALPNProtocols: ["h2"],
    minVersion: "TLSv1.2",
    // The runtime refuses an address as server name, and sends none if omitted.
    ...addressFamily(endpoint.host) === undefined
      ? { servername: endpoint.host }
      : {},
    ...trust.kind === "verified"
      ? verified(endpoint, trust.identity)
      : { rejectUnauthorized: false },
  });
}

function verified(
  { host }: Endpoint,
  { ca, crt, key }: Identity,
): ConnectionOptions {
  return {
    ...ca ? { ca } : {},
    ...crt && key ? { cert: crt, key } : {},
    rejectUnauthorized: true,
    checkServerIdentity: (_servername, certificate) =>
      checkServerIdentity(host, certificate),
  };
}

/**
 * Makes sure that the other side has one of the accepted keys.
 *
 * @param fingerprints Accepted keys; empty for any.
 * @throws {ConnectError} If it has another; the message shows which.
 */
export async function checkFingerprint(
  socket: TLSSocket,
  endpoint: Endpoint,
  fingerprints: readonly string[],
): Promise<void> {
  if (fingerprints.length === 0) return;
  const seen = await formatFingerprint(peerCertificate(socket));
  if (fingerprints.includes(seen)) return;
  throw new ConnectError(
    "fingerprint",
    `Cannot trust "${endpoint.text}": its certificate has fingerprint ${seen}, accepted: ${
      fingerprints.join(", ")
    }`,
    {
      hint:
        `Compare it with the one on the node's console; if it matches: --cert-fingerprint ${seen}`,
    },
  );
}

/** Certificate that the other side showed. */
export function peerCertificate(socket: TLSSocket): X509Certificate {
  return new X509Certificate(socket.getPeerCertificate().raw);
}

/**
 * Fingerprint of a certificate's key, as nodes in maintenance mode print it. Returns base64 of SHA-256
 * of its SubjectPublicKeyInfo (RFC 5280).
 */
export async function formatFingerprint(
  certificate: X509Certificate,
): Promise<string> {
  const key = certificate.publicKey.export({ type: "spki", format: "der" });
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(key));
  return new Uint8Array(digest).toBase64();
}
