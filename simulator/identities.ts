/** Certificates of simulated nodes and of their clients. */

import { type Authority, issueCertificate } from "../pki/certificate.ts";
import { generateKey, publicSpkiOf } from "../pki/key.ts";
import { encodePem, pemLabel } from "../pki/pem.ts";
import { encodePkcs8, encodePrivateKey } from "../pki/private_key.ts";
import type { SimulatedNode } from "./node.ts";
import type { ServerIdentity } from "./server.ts";

/** What a client configuration holds; all PEM. */
export interface ClientIdentity {
  /** Authority of the nodes. */
  readonly ca: string;
  /** Client certificate. */
  readonly crt: string;
  /** Key of {@linkcode crt}. */
  readonly key: string;
}

/** First and last moment of a certificate. */
export interface Lifetime {
  /** Default now. */
  readonly notBefore?: Date;
  /** Default a year after the first. */
  readonly notAfter?: Date;
}

const yearMs = 365 * 24 * 3_600_000;

/**
 * Makes a client of a cluster.
 *
 * @param roles Its roles.
 * @param extendedKeyUsage What the certificate is good for; nodes accept `clientAuth` alone.
 */
export async function clientIdentity(
  ca: Authority,
  roles: readonly string[],
  { notBefore = new Date(), notAfter }: Lifetime = {},
  extendedKeyUsage: readonly ("clientAuth" | "serverAuth")[] = ["clientAuth"],
): Promise<ClientIdentity> {
  const key = await generateKey();
  const certificate = await issueCertificate({
    ca,
    publicKey: await publicSpkiOf(key),
    subject: { organizations: roles },
    extendedKeyUsage,
    notBefore,
    notAfter: notAfter ?? new Date(notBefore.getTime() + yearMs),
  });
  return {
    ca: encodePem(pemLabel.certificate, ca.certificate),
    crt: encodePem(pemLabel.certificate, certificate),
    key: encodePrivateKey(key),
  };
}

/**
 * Makes what a node's server presents.
 *
 * @param host Where it listens; part of the names in the certificate.
 */
export async function serverIdentity(
  node: SimulatedNode,
  host: string,
): Promise<ServerIdentity> {
  const { authority: ca } = node.cluster;
  const { address, hostname } = node.identity;
  const key = await generateKey();
  const names = [...new Set([address, host])];
  const certificate = await issueCertificate({
    ca,
    publicKey: await publicSpkiOf(key),
    subject: { organizations: [], commonName: hostname },
    extendedKeyUsage: ["serverAuth"],
    subjectAltNames: {
      dns: [hostname, ...names.filter((name) => !isAddress(name))],
      ips: names.filter(isAddress),
    },
    notBefore: new Date(node.clock.now() - 3_600_000),
    notAfter: new Date(node.clock.now() + yearMs),
  });
  return {
    certificate: encodePem(pemLabel.certificate, certificate),
    key: encodePkcs8(key),
    clientAuthorities: encodePem(pemLabel.certificate, ca.certificate),
  };
}

function isAddress(name: string): boolean {
  return name.includes(":") || /^[0-9.]+$/.test(name);
}
