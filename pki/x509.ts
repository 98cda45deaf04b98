/**
 * The library for writing certificates, and its input.
 *
 * Loading it costs start-up time: only import this file to write certificates.
 */

// The library requires this on load, so it must be first.
import "reflect-metadata/lite";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsagesExtension,
  Name,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { ConfigError } from "../errors.ts";
import { canonicalAddress } from "../lib/ip.ts";
import {
  type KeyUsage,
  keyUsages,
  type SubjectAltNames,
} from "./extensions.ts";
import { exportPublicSpki, importSigningKey, signingAlgorithm } from "./key.ts";
import { type ExtendedKeyUsage, usageOid } from "./oid.ts";
import type { PrivateKey } from "./private_key.ts";

/** Extensions of a certificate; absent members are omitted. */
export interface ExtensionSpec {
  readonly keyUsage?: readonly KeyUsage[];
  readonly extendedKeyUsage?: readonly ExtendedKeyUsage[];
  /** True for a CA; then critical and without path length. */
  readonly isCa?: boolean;
  /** Identifier of the certificate's own key, hexadecimal. */
  readonly subjectKeyId?: string | undefined;
  /** Identifier of the issuer's key, hexadecimal. */
  readonly authorityKeyId?: string | undefined;
  /** Names and addresses; omitted if there are none. */
  readonly subjectAltNames?: Partial<SubjectAltNames> | undefined;
  /** True if the names are critical, as an empty subject requires (RFC 5280, 4.2.1.6). */
  readonly namesCritical?: boolean;
}

/** Content of a certificate. */
export interface CertificateContent {
  readonly issuer: Uint8Array;
  /** Subject name, DER. */
  readonly subject: Uint8Array;
  /** Public key, DER SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly key: PrivateKey;
  readonly serial: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: ExtensionSpec;
}

/**
 * Encodes and signs a certificate. Returns DER. Throws `ConfigError` if an address is
 * not an IP address, or the key is invalid.
 */
export async function writeCertificate(
  content: CertificateContent,
): Promise<Uint8Array> {
  const certificate = await X509CertificateGenerator.create({
    serialNumber: content.serial,
    subject: new Name(content.subject.slice()),
    issuer: new Name(content.issuer.slice()),
    notBefore: content.notBefore,
    notAfter: content.notAfter,
    publicKey: content.publicKey.slice(),
    signingKey: await importSigningKey(content.key),
    signingAlgorithm: signingAlgorithm(content.key),
    extensions: extensionsFor(content.extensions),
  });
  return new Uint8Array(certificate.rawData);
}

/**
 * Encodes and signs a request. Returns DER. Throws `ConfigError` if an address is not an
 * IP address, or the key is invalid.
 */
export async function writeRequest(
  { subject, key, extensions }: Pick<
    CertificateContent,
    "subject" | "key" | "extensions"
  >,
): Promise<Uint8Array> {
  const algorithm = signingAlgorithm(key);
  const spki = (await exportPublicSpki(key)).slice();
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: new Name(subject.slice()),
    keys: {
      privateKey: await importSigningKey(key),
      publicKey: await crypto.subtle.importKey("spki", spki, algorithm, true, [
        "verify",
      ]),
    },
    signingAlgorithm: algorithm,
    extensions: extensionsFor(extensions),
  });
  return new Uint8Array(request.rawData);
}

function extensionsFor(spec: ExtensionSpec): Extension[] {
  const { keyUsage, extendedKeyUsage, subjectKeyId, authorityKeyId } = spec;
  const names = generalNames(spec.subjectAltNames);
  return [
    keyUsage && new KeyUsagesExtension(usageBits(keyUsage), true),
    extendedKeyUsage &&
    new ExtendedKeyUsageExtension(extendedKeyUsage.map((use) => usageOid[use])),
    spec.isCa && new BasicConstraintsExtension(true, undefined, true),
    subjectKeyId && new SubjectKeyIdentifierExtension(subjectKeyId),
    authorityKeyId && new AuthorityKeyIdentifierExtension(authorityKeyId),
    names.length > 0 &&
    new SubjectAlternativeNameExtension(names, spec.namesCritical),
  ].filter((extension) => typeof extension === "object");
}

function usageBits(usages: readonly KeyUsage[]): number {
  return usages.reduce((bits, use) => bits | (1 << keyUsages.indexOf(use)), 0);
}

interface GeneralName {
  readonly type: "dns" | "ip";
  readonly value: string;
}

function generalNames(
  { dns = [], ips = [] }: Partial<SubjectAltNames> = {},
): GeneralName[] {
  return [
    ...dns.map((value): GeneralName => ({ type: "dns", value })),
    ...ips.map((ip): GeneralName => ({ type: "ip", value: formatAddress(ip) })),
  ];
}

function formatAddress(ip: string): string {
  const address = canonicalAddress(ip);
  if (address !== undefined) return address;
  throw new ConfigError(
    `Cannot write a certificate: "${ip}" is not an IP address`,
  );
}
