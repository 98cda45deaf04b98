/** Extensions of certificates and requests (RFC 5280, 4.2). */

import { canonicalAddress, formatAddress } from "../lib/ip.ts";
import { booleanOf, flagsOf, oidOf, smallNumberOf } from "./der_values.ts";
import {
  type Der,
  derTag,
  elementsOf,
  malformed,
  partAt,
  readDer,
  sequenceOf,
  tagged,
} from "./der.ts";
import { extensionOid, usageOid } from "./oid.ts";

/** Names of the bits of the key usage extension, in their order (RFC 5280, 4.2.1.3). */
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

/** One purpose a key may be used for. */
export type KeyUsage = (typeof keyUsages)[number];

/** Names and addresses a certificate is good for. */
export interface SubjectAltNames {
  /** DNS names as written, wildcards included. */
  readonly dns: readonly string[];
  /** IP addresses as RFC 5952 spells them. */
  readonly ips: readonly string[];
}

/** What the extensions say; a member that may be `undefined` is then absent. */
export interface Extensions {
  /** Purposes of the key, or `undefined` when not limited. */
  readonly keyUsage: readonly KeyUsage[] | undefined;
  /** Names such as `clientAuth`, else dotted identifiers; `undefined` when not limited. */
  readonly extendedKeyUsage: readonly string[] | undefined;
  /** Whether it may sign certificates. */
  readonly isCa: boolean;
  /** How many CAs may follow below this one, or `undefined` for any number. */
  readonly pathLength: number | undefined;
  /** DNS names and IP addresses; empty when the extension is absent. */
  readonly subjectAltNames: SubjectAltNames;
  /** Identifier of the issuer's key, lower-case hexadecimal. */
  readonly authorityKeyId: string | undefined;
  /** Identifier of this certificate's key, lower-case hexadecimal. */
  readonly subjectKeyId: string | undefined;
  /** Identifiers of critical extensions that are not understood; such a certificate is not valid. */
  readonly unknownCritical: readonly string[];
}

/**
 * Reads a list of extensions.
 *
 * @param list The SEQUENCE of extensions, or `undefined` when there is none.
 * @throws {ConfigError} If an extension is malformed, or occurs twice.
 */
export function extensionsOf(list: Der | undefined): Extensions {
  const found = new Map<string, Extension>();
  for (const element of list === undefined ? [] : sequenceOf(list)) {
    const extension = extensionOf(element);
    if (found.has(extension.id)) {
      throw malformed(element, `extension ${extension.id} occurs twice`);
    }
    found.set(extension.id, extension);
  }
  const read = <T>(id: string, parse: (value: Der) => T): T | undefined => {
    const extension = found.get(id);
    return extension && parse(extension.value());
  };
  const constraints = read(extensionOid.basicConstraints, constraintsOf);
  return {
    keyUsage: read(extensionOid.keyUsage, keyUsageOf),
    extendedKeyUsage: read(extensionOid.extendedKeyUsage, extendedKeyUsageOf),
    isCa: constraints?.isCa ?? false,
    pathLength: constraints?.pathLength,
    subjectAltNames: read(extensionOid.subjectAltName, subjectAltNamesOf) ??
      { dns: [], ips: [] },
    authorityKeyId: read(extensionOid.authorityKeyId, authorityKeyIdOf),
    subjectKeyId: read(extensionOid.subjectKeyId, subjectKeyIdOf),
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

function extensionOf(element: Der): Extension {
  const parts = sequenceOf(element);
  const id = oidOf(partAt(element, parts, 0));
  const hasFlag = parts[1]?.tag === derTag.boolean;
  const wrapped = tagged(
    partAt(element, parts, hasFlag ? 2 : 1),
    derTag.octetString,
  );
  return {
    id,
    critical: hasFlag && booleanOf(partAt(element, parts, 1)),
    value: () => readDer(wrapped.content, element.what),
  };
}

function keyUsageOf(value: Der): readonly KeyUsage[] {
  return flagsOf(value).flatMap((bit) => keyUsages[bit] ?? []);
}

function extendedKeyUsageOf(value: Der): readonly string[] {
  return sequenceOf(value).map(oidOf).map(usageNameOf);
}

function usageNameOf(oid: string): string {
  const known = Object.entries(usageOid).find(([, value]) => value === oid);
  return known?.[0] ?? oid;
}

function constraintsOf(
  value: Der,
): { readonly isCa: boolean; readonly pathLength: number | undefined } {
  const parts = sequenceOf(value);
  const isCa = parts[0]?.tag === derTag.boolean && booleanOf(parts[0]);
  const length = parts.find((part) => part.tag === derTag.integer);
  return { isCa, pathLength: length && smallNumberOf(length) };
}

/** Identifier in the first, optional member `[0]` (RFC 5280, 4.2.1.1). */
function authorityKeyIdOf(value: Der): string | undefined {
  return sequenceOf(value).find((part) => part.tag === 0x80)?.content.toHex();
}

function subjectKeyIdOf(value: Der): string {
  return tagged(value, derTag.octetString).content.toHex();
}

/** Names `[2]` and addresses `[7]`; the other kinds name nothing osctl connects to. */
function subjectAltNamesOf(value: Der): SubjectAltNames {
  const names = elementsOf(tagged(value, derTag.sequence));
  return {
    dns: names.filter((name) => name.tag === 0x82).map(dnsNameOf),
    ips: names.filter((name) => name.tag === 0x87).map(ipOf),
  };
}

function dnsNameOf(name: Der): string {
  const text = String.fromCharCode(...name.content.subarray(0, 256));
  if (name.content.length <= 255 && /^[\x21-\x7e]+$/.test(text)) return text;
  throw malformed(name, "a DNS name is malformed");
}

function ipOf(name: Der): string {
  const address = canonicalAddress(formatAddress(name.content) ?? "");
  if (address === undefined) throw malformed(name, "an address is malformed");
  return address;
}
