/** Extensions of certificates and requests (RFC 5280, 4.2). */

import { canonicalAddress, formatAddress } from "../lib/ip.ts";
import {
  readBoolean,
  readFlags,
  readOid,
  readSmallNumber,
} from "./der_values.ts";
import {
  type Der,
  derTag,
  malformedDer,
  partAt,
  readDer,
  readElements,
  readSequence,
  requireTag,
} from "./der.ts";
import { extensionOid, usageOid } from "./oid.ts";

/** Names of the key usage bits, in order (RFC 5280, 4.2.1.3). */
export const keyUsages = [
  "digitalSignature",
  "nonRepudiation",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "keyCertSign",
  "cRLSign",
  "encipherOnly",
  "decipherOnly",
] as const;

/** One key usage. */
export type KeyUsage = (typeof keyUsages)[number];

/** Names and addresses of a certificate. */
export interface SubjectAltNames {
  /** DNS names as written, wildcards included. */
  readonly dns: readonly string[];
  /** IP addresses in the form of RFC 5952. */
  readonly ips: readonly string[];
}

/** Parsed extensions; a member that may be `undefined` is absent then. */
export interface Extensions {
  /** Key usage, or `undefined` if unrestricted. */
  readonly keyUsage: readonly KeyUsage[] | undefined;
  /** Names such as `clientAuth`, else dotted identifiers; `undefined` if unrestricted. */
  readonly extendedKeyUsage: readonly string[] | undefined;
  /** True if it may sign certificates. */
  readonly isCa: boolean;
  /** Number of CAs allowed below this one, or `undefined` for any number. */
  readonly pathLength: number | undefined;
  /** DNS names and IP addresses; empty if the extension is absent. */
  readonly subjectAltNames: SubjectAltNames;
  /** Key identifier of the issuer, lower-case hexadecimal. */
  readonly authorityKeyId: string | undefined;
  /** Key identifier of this certificate, lower-case hexadecimal. */
  readonly subjectKeyId: string | undefined;
  /** Identifiers of unknown critical extensions; such a certificate is invalid. */
  readonly unknownCritical: readonly string[];
}

/**
 * Parses a list of extensions.
 *
 * @param list The SEQUENCE of extensions, or `undefined` if there is none.
 * @throws {ConfigError} If an extension is malformed or a duplicate.
 */
export function readExtensions(list: Der | undefined): Extensions {
  const found = new Map<string, Extension>();
  for (const element of list === undefined ? [] : readSequence(list)) {
    const extension = readExtension(element);
    if (found.has(extension.id)) {
      throw malformedDer(element, `extension ${extension.id} occurs twice`);
    }
    found.set(extension.id, extension);
  }
  const read = <T>(id: string, parse: (value: Der) => T): T | undefined => {
    const extension = found.get(id);
    return extension && parse(extension.value());
  };
  const constraints = read(extensionOid.basicConstraints, readConstraints);
  return {
    keyUsage: read(extensionOid.keyUsage, readKeyUsage),
    extendedKeyUsage: read(extensionOid.extendedKeyUsage, readExtendedKeyUsage),
    isCa: constraints?.isCa ?? false,
    pathLength: constraints?.pathLength,
    subjectAltNames: read(extensionOid.subjectAltName, readSubjectAltNames) ??
      { dns: [], ips: [] },
    authorityKeyId: read(extensionOid.authorityKeyId, readAuthorityKeyId),
    subjectKeyId: read(extensionOid.subjectKeyId, readSubjectKeyId),
    unknownCritical: [...found.values()]
      .filter(({ id, critical }) => critical && !understood.has(id))
      .map(({ id }) => id),
  };
}

const understood: ReadonlySet<string> = new Set(Object.values(extensionOid));

interface Extension {
  readonly id: string;
  readonly critical: boolean;
  readonly value: () => Der;
}

function readExtension(element: Der): Extension {
  const parts = readSequence(element);
  const id = readOid(partAt(element, parts, 0));
  const hasFlag = parts[1]?.tag === derTag.boolean;
  const wrapped = requireTag(
    partAt(element, parts, hasFlag ? 2 : 1),
    derTag.octetString,
  );
  return {
    id,
    critical: hasFlag && readBoolean(partAt(element, parts, 1)),
    value: () => readDer(wrapped.content, element.what),
  };
}

function readKeyUsage(value: Der): readonly KeyUsage[] {
  return readFlags(value).flatMap((bit) => keyUsages[bit] ?? []);
}

function readExtendedKeyUsage(value: Der): readonly string[] {
  return readSequence(value).map(readOid).map(formatUsage);
}

function formatUsage(oid: string): string {
  const known = Object.entries(usageOid).find(([, value]) => value === oid);
  return known?.[0] ?? oid;
}

function readConstraints(
  value: Der,
): { readonly isCa: boolean; readonly pathLength: number | undefined } {
  const parts = readSequence(value);
  const isCa = parts[0]?.tag === derTag.boolean && readBoolean(parts[0]);
  const length = parts.find((part) => part.tag === derTag.integer);
  return { isCa, pathLength: length && readSmallNumber(length) };
}

/** Identifier in the first, optional member `[0]` (RFC 5280, 4.2.1.1). */
function readAuthorityKeyId(value: Der): string | undefined {
  return readSequence(value).find((part) => part.tag === 0x80)?.content.toHex();
}

function readSubjectKeyId(value: Der): string {
  return requireTag(value, derTag.octetString).content.toHex();
}

/** Names `[2]` and addresses `[7]`; osctl connects to none of the other kinds. */
function readSubjectAltNames(value: Der): SubjectAltNames {
  const names = readElements(requireTag(value, derTag.sequence));
  return {
    dns: names.filter((name) => name.tag === 0x82).map(readDnsName),
    ips: names.filter((name) => name.tag === 0x87).map(readIp),
  };
}

function readDnsName(name: Der): string {
  const text = String.fromCharCode(...name.content.subarray(0, 256));
  if (name.content.length <= 255 && /^[\x21-\x7e]+$/.test(text)) return text;
  throw malformedDer(name, "a DNS name is malformed");
}

function readIp(name: Der): string {
  const address = canonicalAddress(formatAddress(name.content) ?? "");
  if (address === undefined) {
    throw malformedDer(name, "an address is malformed");
  }
  return address;
}
