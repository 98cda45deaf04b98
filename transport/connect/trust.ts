/** Trust and client certificate of a connection. */

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
  /** CAs that sign node certificates; default the system CAs. */
  readonly ca?: string | undefined;
  /** Client certificate; default none. */
  readonly crt?: string | undefined;
  /** Private key of `crt`. */
  readonly key?: string | undefined;
}

/** Verification of the server. */
export type Trust =
  | {
    /** Mutual TLS: the server certificate must be signed by the CA. */
    readonly kind: "verified";
    readonly identity: Identity;
  }
  | {
    /** Any server is trusted, or those with one of the public keys; no client certificate. */
    readonly kind: "maintenance";
    /** Accepted keys: base64 of SHA-256 of SubjectPublicKeyInfo; empty for any. */
    readonly fingerprints: readonly string[];
  };

/**
 * Starts TLS on a connection.
 *
 * @param socket Connection to the endpoint, directly or through a proxy.
 * @returns Socket that is not connected yet: `secureConnect` or `error` follows.
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
    // Deno rejects an address as server name, and sends none if omitted.
    ...addressFamily(endpoint.host) === undefined
      ? { servername: endpoint.host }
      : {},
    ...trust.kind === "verified"
      ? tlsOptions(endpoint, trust.identity)
      : { rejectUnauthorized: false },
  });
}

function tlsOptions(
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
 * Checks that the server has one of the accepted keys.
 *
 * @param fingerprints Accepted keys; empty for any.
 * @throws {ConnectError} If it has another key; the message contains its fingerprint.
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

/** Returns the server certificate. */
export function peerCertificate(socket: TLSSocket): X509Certificate {
  return new X509Certificate(socket.getPeerCertificate().raw);
}

/**
 * Returns the fingerprint of a certificate's key, as printed by nodes in maintenance mode: base64 of SHA-256
 * of its SubjectPublicKeyInfo (RFC 5280).
 */
export async function formatFingerprint(
  certificate: X509Certificate,
): Promise<string> {
  const key = certificate.publicKey.export({ type: "spki", format: "der" });
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(key));
  return new Uint8Array(digest).toBase64();
}
