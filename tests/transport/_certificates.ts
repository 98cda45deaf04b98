/** Certificates as real nodes have them, made when a test runs. */

import {
  type CertificateAuthority,
  issueCertificate,
} from "../../pki/certificate.ts";
import { createCa } from "../../pki/ca.ts";
import { exportPublicSpki, generateKey } from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePkcs8 } from "../../pki/private_key.ts";
import type { Identity } from "../../transport/connect/trust.ts";

export type { CertificateAuthority };

/** A certificate and its key, PEM. */
export interface Pair {
  readonly crt: string;
  readonly key: string;
}

export interface PairSpec {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly ips?: readonly string[];
  readonly dns?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

export function newCa(
  organization = "talos",
): Promise<CertificateAuthority> {
  return createCa({ organizations: [organization] });
}

export function toCaPem({ certificate }: CertificateAuthority): string {
  return encodePem(pemLabel.certificate, certificate);
}

/** Certificate of a node at 127.0.0.1, ::1 and localhost. */
export function serverPair(
  ca: CertificateAuthority,
  { ips = ["127.0.0.1", "::1"], dns = ["localhost", "node1.test"], ...spec }:
    PairSpec = {},
): Promise<Pair> {
  return issue(ca, "serverAuth", { commonName: "node1", ips, dns, ...spec });
}

/** Certificate of an administrator. */
export function clientPair(
  ca: CertificateAuthority,
  spec: PairSpec = {},
): Promise<Pair> {
  return issue(ca, "clientAuth", { organizations: ["os:admin"], ...spec });
}

export async function clientIdentity(
  ca: CertificateAuthority,
): Promise<Identity> {
  return { ca: toCaPem(ca), ...await clientPair(ca) };
}

async function issue(
  ca: CertificateAuthority,
  use: "clientAuth" | "serverAuth",
  { commonName, organizations = [], ips = [], dns = [], ...validity }: PairSpec,
): Promise<Pair> {
  const key = await generateKey("Ed25519");
  const certificate = await issueCertificate({
    ca,
    publicKey: await exportPublicSpki(key),
    subject: { organizations, ...commonName ? { commonName } : {} },
    subjectAltNames: { ips, dns },
    extendedKeyUsage: [use],
    ...validity,
  });
  return {
    crt: encodePem(pemLabel.certificate, certificate),
    key: encodePkcs8(key),
  };
}
