/** CAs and clients for checks that need a key or a validity of their own. */

import { createCa } from "../../pki/ca.ts";
import {
  type CertificateAuthority,
  type CertificateSpec,
  issueCertificate,
} from "../../pki/certificate.ts";
import { exportPublicSpki, generateKey } from "../../pki/key.ts";
import { encodePem } from "../../pki/pem.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";

/** Moment all validities here are around. */
export const now = new Date("2030-06-01T12:00:00Z");

/** Moment some days before or after {@linkcode now}. */
export function inDays(days: number): Date {
  return new Date(now.getTime() + days * 24 * 60 * 60 * 1000);
}

/** CA that is valid from 100 days ago to 3000 days ahead. */
export function makeCa(
  { from = -100, to = 3000 }: { from?: number; to?: number } = {},
): Promise<CertificateAuthority> {
  return createCa({
    organizations: ["talos"],
    notBefore: inDays(from),
    notAfter: inDays(to),
  });
}

/** PEM of a certificate. */
export function derToPem(der: Uint8Array): string {
  return encodePem("CERTIFICATE", der);
}

export type ClientChange =
  & Partial<
    Pick<
      CertificateSpec,
      "notBefore" | "notAfter" | "extendedKeyUsage" | "keyUsage"
    >
  >
  & { readonly ca?: CertificateAuthority };

/** Administrator's identity, valid from yesterday for 300 days unless changed. */
export async function client(
  change: ClientChange = {},
): Promise<{ ca: string; crt: string; key: string; der: Uint8Array }> {
  const ca = change.ca ?? await makeCa();
  const key = await generateKey("Ed25519");
  const der = await issueCertificate({
    ca,
    publicKey: await exportPublicSpki(key),
    subject: { organizations: ["os:admin"] },
    extendedKeyUsage: ["clientAuth"],
    notBefore: inDays(-1),
    notAfter: inDays(300),
    ...change,
  });
  return {
    ca: derToPem(ca.certificate),
    crt: derToPem(der),
    key: encodePrivateKey(key),
    der,
  };
}
