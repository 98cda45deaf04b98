/**
 * The library that writes certificates, and what is put into it.
 *
 * Loading it costs start-up time: only files that write certificates import this one.
 */

// The library looks for this when it is loaded, so it has to come first.
import "reflect-metadata/lite";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
} from "@peculiar/x509";
import { ConfigError } from "../errors.ts";
import { canonicalAddress } from "./address.ts";
import {
  type KeyUsage,
  keyUsages,
  type SubjectAltNames,
} from "./extensions.ts";
import { usageOid } from "./oid.ts";

export {
  Name,
  Pkcs10CertificateRequestGenerator,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** What {@linkcode extensionsFor} writes; absent members are left out. */
export interface ExtensionSpec {
  /** Purposes of the key; critical. */
  readonly keyUsage?: readonly KeyUsage[];
  /** Uses of the certificate. */
  readonly extendedKeyUsage?: readonly (keyof typeof usageOid)[];
  /** Whether it is an authority's; then critical and without path length. */
  readonly isCa?: boolean;
  /** Identifier of the certificate's own key, hexadecimal. */
  readonly subjectKeyId?: string | undefined;
  /** Identifier of the issuer's key, hexadecimal. */
  readonly authorityKeyId?: string | undefined;
  /** Names and addresses; left out when there are none. */
  readonly subjectAltNames?: Partial<SubjectAltNames> | undefined;
  /** Whether the names are critical, as an empty subject demands (RFC 5280, 4.2.1.6). */
  readonly namesCritical?: boolean;
}

/**
 * Extensions in the order nodes write them.
 *
 * @throws {ConfigError} If an address is no IP address.
 */
export function extensionsFor(spec: ExtensionSpec): Extension[] {
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
    ...ips.map((ip): GeneralName => ({ type: "ip", value: addressOf(ip) })),
  ];
}

function addressOf(ip: string): string {
  const address = canonicalAddress(ip);
  if (address !== undefined) return address;
  throw new ConfigError(`Cannot write a certificate: "${ip}" is no IP address`);
}
