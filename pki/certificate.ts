/** Certificates signed by a CA, as nodes sign them. */

import { ConfigError } from "../errors.ts";
import type { KeyUsage, SubjectAltNames } from "./extensions.ts";
import { inspectCertificate } from "./inspect.ts";
import type { PrivateKey } from "./private_key.ts";
import { platformBytes, type RandomBytes } from "./key.ts";
import { inspectRequest } from "./request.ts";
import { encodeName, type SubjectName } from "./name.ts";
import { writeCertificate } from "./x509.ts";

/** A CA certificate and its key. */
export interface CertificateAuthority {
  readonly certificate: Uint8Array;
  readonly key: PrivateKey;
}

/** Validity period of a certificate. */
export interface Validity {
  /** Start, truncated to the second; default {@linkcode now}. */
  readonly notBefore?: Date;
  /** End, truncated to the second; default 24 h after the start. */
  readonly notAfter?: Date;
  /** Current time; default the system clock. */
  readonly now?: Date;
}

type CertificateHolder =
  | {
    /** PKCS#10 request, DER, with subject, key, names and addresses. */
    readonly request: Uint8Array;
  }
  | {
    /** Public key, DER SubjectPublicKeyInfo. */
    readonly publicKey: Uint8Array;
    readonly subject: SubjectName;
    /** Names and addresses; default none. */
    readonly subjectAltNames?: Partial<SubjectAltNames>;
  };

/** Options of {@linkcode issueCertificate}. */
export type CertificateSpec = CertificateHolder & Validity & {
  readonly ca: CertificateAuthority;
  /** Key usage; default `digitalSignature`. */
  readonly keyUsage?: readonly KeyUsage[];
  /** Extended key usage; default both. */
  readonly extendedKeyUsage?: readonly ("clientAuth" | "serverAuth")[];
  /** Random source of the serial number; default the platform. */
  readonly random?: RandomBytes;
};

/**
 * Signs a certificate, never a CA. Returns DER. Throws `ConfigError` if the request
 * or a name in it is invalid, or validity ends before it begins.
 */
export async function issueCertificate(
  spec: CertificateSpec,
): Promise<Uint8Array> {
  const { ca, keyUsage, extendedKeyUsage } = spec;
  const issuer = inspectCertificate(ca.certificate);
  const { subject, publicKey, subjectAltNames } = await encodeHolder(spec);
  return await writeCertificate({
    ...resolveValidity(spec),
    issuer: issuer.subject.der,
    subject,
    publicKey,
    key: ca.key,
    serial: newSerial(spec.random),
    extensions: {
      keyUsage: keyUsage ?? ["digitalSignature"],
      extendedKeyUsage: extendedKeyUsage ?? ["serverAuth", "clientAuth"],
      authorityKeyId: issuer.subjectKeyId,
      subjectAltNames,
      // An empty subject is an empty SEQUENCE; the names are then the only identity.
      namesCritical: subject.length === 2,
    },
  });
}

interface EncodedHolder {
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly subjectAltNames: Partial<SubjectAltNames> | undefined;
}

async function encodeHolder(holder: CertificateHolder): Promise<EncodedHolder> {
  if ("request" in holder) {
    const { subject, spki, ...names } = await inspectRequest(holder.request);
    return { ...names, subject: subject.der, publicKey: spki };
  }
  const { subject, publicKey, subjectAltNames } = holder;
  return { subject: encodeName(subject), publicKey, subjectAltNames };
}

const dayMs = 24 * 60 * 60 * 1000;

/** Range of the two time formats in certificates (RFC 5280, 4.1.2.5). */
const earliest = new Date("1950-01-01T00:00:00Z");
const latest = new Date("9999-12-31T23:59:59.999Z");

/**
 * Fills in the validity period: 24 h from now by default. Throws `ConfigError` if it ends
 * before it begins, or is outside of the years 1950 to 9999.
 */
export function resolveValidity(
  { now = new Date(), notBefore = now, notAfter }: Validity,
): { readonly notBefore: Date; readonly notAfter: Date } {
  const last = notAfter ?? new Date(notBefore.getTime() + dayMs);
  const ordered = notBefore <= last && notBefore >= earliest && last <= latest;
  if (!ordered) {
    const [end, start] = [describe(last), describe(notBefore)];
    throw new ConfigError(
      `Cannot write a certificate that is valid from ${start} to ${end}`,
    );
  }
  return { notBefore, notAfter: last };
}

/** Random serial number: uniform below 2^128, positive. Returns 32 hexadecimal digits. */
export function newSerial(random: RandomBytes = platformBytes): string {
  const serial = random(16).toHex();
  return /^0+$/.test(serial) ? serial.replace(/0$/, "1") : serial;
}

function describe(time: Date): string {
  return Number.isNaN(time.getTime()) ? "an invalid time" : time.toISOString();
}
