/** Distinguished names of certificates, as far as osctl parses them (RFC 5280, 4.1.2.4). */

import { ConfigError } from "../errors.ts";
import { readOid, takeText } from "./der_values.ts";
import {
  encodeDer,
  encodeOid,
  encodeSequence,
  encodeSet,
} from "./der_encode.ts";
import {
  type Der,
  derTag,
  malformedDer,
  partAt,
  readElements,
  readSequence,
  requireTag,
} from "./der.ts";
import { nameOid } from "./oid.ts";

/** Subject or issuer of a certificate. */
export interface Name {
  /** The whole name, DER; names are equal if these bytes are. */
  readonly der: Uint8Array;
  /** Organizations in order; for the node API these are the roles. */
  readonly organizations: readonly string[];
  /** First common name; absent in certificates of the node API. */
  readonly commonName?: string;
}

/** Parses a name, including every value of a multi-valued part. Throws `ConfigError` if it is malformed. */
export function readName(der: Der): Name {
  const attributes = readSequence(der).flatMap(readAttributes);
  const commonName = attributes.find(({ type }) => type === nameOid.commonName);
  return {
    der: der.encoded,
    organizations: attributes
      .filter(({ type }) => type === nameOid.organization)
      .map(({ value }) => takeText(value)),
    ...(commonName && { commonName: takeText(commonName.value) }),
  };
}

/** Formats a name for messages. For example `O=os:admin`, or `an empty name`. */
export function describeName(name: Name): string {
  const parts = name.organizations.map((organization) => `O=${organization}`);
  if (name.commonName !== undefined) parts.push(`CN=${name.commonName}`);
  return parts.join(", ") || "an empty name";
}

interface Attribute {
  readonly type: string;
  readonly value: Der;
}

function readAttributes(relative: Der): readonly Attribute[] {
  const elements = readElements(requireTag(relative, derTag.set));
  if (elements.length === 0) {
    throw malformedDer(relative, "a name part is empty");
  }
  return elements.map((element) => {
    const parts = readSequence(element);
    return {
      type: readOid(partAt(element, parts, 0)),
      value: partAt(element, parts, 1),
    };
  });
}

/** Subject of a certificate. */
export interface SubjectName {
  /** Organizations; for the node API these are the roles of a client. May be empty. */
  readonly organizations: readonly string[];
  /** Common name; omitted when absent. */
  readonly commonName?: string;
}

/**
 * Encodes a name; all organizations are in one multi-valued part. Returns DER; an empty SEQUENCE
 * for an empty name. Throws `ConfigError` if a value is empty.
 */
export function encodeName(
  { organizations, commonName }: SubjectName,
): Uint8Array<ArrayBuffer> {
  const attributes = organizations.map((organization) =>
    encodeAttribute(nameOid.organization, organization)
  );
  const parts = attributes.length > 0 ? [encodeSet(attributes)] : [];
  if (commonName !== undefined) {
    parts.push(encodeSet([encodeAttribute(nameOid.commonName, commonName)]));
  }
  return encodeSequence(...parts);
}

const utf8String = 0x0c;
const printableString = 0x13;

function encodeAttribute(type: string, text: string): Uint8Array {
  if (text === "") {
    throw new ConfigError(
      'Cannot write a subject: "" is not an organization or name',
    );
  }
  const tag = /^[A-Za-z0-9 '()+,\-./:=?]+$/.test(text)
    ? printableString
    : utf8String;
  const value = encodeDer(tag, new TextEncoder().encode(text));
  return encodeSequence(encodeOid(type), value);
}
