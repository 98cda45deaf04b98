/** Writes subjects the way nodes do: organizations, and in requests a common name. */

import { ConfigError } from "../errors.ts";
import {
  encodeDer,
  encodeOid,
  encodeSequence,
  encodeSetOf,
} from "./der_encode.ts";
import { nameOid } from "./oid.ts";

/** Who a certificate is for. */
export interface Subject {
  /** Organizations; on the node API these are the roles of a client. May be empty. */
  readonly organizations: readonly string[];
  /** Common name; left out when absent. */
  readonly commonName?: string;
}

/**
 * Encodes a name; all organizations stand in one multi-valued part. Returns DER; an empty SEQUENCE
 * when there is nothing to say. Throws `ConfigError` if a value is empty.
 */
export function encodeName(
  { organizations, commonName }: Subject,
): Uint8Array<ArrayBuffer> {
  const attributes = organizations.map((organization) =>
    encodeAttribute(nameOid.organization, organization)
  );
  const parts = attributes.length > 0 ? [encodeSetOf(attributes)] : [];
  if (commonName !== undefined) {
    parts.push(encodeSetOf([encodeAttribute(nameOid.commonName, commonName)]));
  }
  return encodeSequence(...parts);
}

const utf8String = 0x0c;
const printableString = 0x13;

function encodeAttribute(type: string, text: string): Uint8Array {
  if (text === "") {
    throw new ConfigError(
      'Cannot write a subject: "" is no organization or name',
    );
  }
  const tag = /^[A-Za-z0-9 '()+,\-./:=?]+$/.test(text)
    ? printableString
    : utf8String;
  const value = encodeDer(tag, new TextEncoder().encode(text));
  return encodeSequence(encodeOid(type), value);
}
