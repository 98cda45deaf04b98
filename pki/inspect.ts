/**
 * Parses certificates without a library.
 *
 * Every call to a node first checks the client certificate, so this file and its imports must stay light.
 */

import {
  readOid,
  readSmallNumber,
  readTime,
  readUnsigned,
  readWholeBytes,
} from "./der_values.ts";
import {
  type Der,
  malformedDer,
  partAt,
  readDer,
  readElements,
  readSequence,
  sameBytes,
} from "./der.ts";
import { type Extensions, readExtensions } from "./extensions.ts";
import { type Name, readName } from "./name.ts";
import { type PublicKeyFacts, readPublicKey } from "./public_key.ts";

/** A signature and its signed content. */
export interface Signature {
  /** Object identifier of the algorithm: `"1.3.101.112"`. */
  readonly algorithm: string;
  /** The signed bytes, DER. */
  readonly signed: Uint8Array;
  /** The signature, in the format of its algorithm. */
  readonly value: Uint8Array;
}

/** Parsed fields of a certificate (RFC 5280, 4.1). */
export interface CertificateFacts extends Extensions, PublicKeyFacts {
  readonly subject: Name;
  readonly issuer: Name;
  /** Serial number, lower-case hexadecimal, an even number of digits. */
  readonly serial: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly signature: Signature;
}

/**
 * Parses a certificate; checks its form, not its trust.
 *
 * @param der One certificate, DER.
 * @throws {ConfigError} If it is not a well-formed certificate.
 */
export function inspectCertificate(der: Uint8Array): CertificateFacts {
  const certificate = readDer(der, "certificate");
  const signature = readSignature(certificate);
  const outer = readSequence(certificate);
  const parts = readSequence(partAt(certificate, outer, 0));
  // Version 1 certificates omit the version, and have no extensions.
  const version = parts.find((part) => part.tag === 0xa0);
  if (version !== undefined) checkVersion(version);
  const fields = parts.filter((part) => part !== version);
  const field = (index: number) => partAt(certificate, fields, index);
  // The outer one is not signed, so it must equal the inner one.
  if (!sameBytes(field(1).encoded, partAt(certificate, outer, 1).encoded)) {
    throw malformedDer(certificate, "it names two signature algorithms");
  }
  const validity = readSequence(field(3));
  return {
    subject: readName(field(4)),
    issuer: readName(field(2)),
    serial: readUnsigned(field(0)).toHex(),
    notBefore: readTime(partAt(field(3), validity, 0)),
    notAfter: readTime(partAt(field(3), validity, 1)),
    ...readPublicKey(field(5)),
    ...readExtensions(findExtensionList(fields.slice(6))),
    signature,
  };
}

/**
 * Splits signed content and signature; certificates and requests have the same structure. Throws
 * `ConfigError` if there are not exactly content, algorithm and signature.
 */
export function readSignature(signedObject: Der): Signature {
  const parts = readSequence(signedObject);
  if (parts.length !== 3) {
    throw malformedDer(signedObject, "it has no signature");
  }
  const algorithm = partAt(signedObject, parts, 1);
  return {
    algorithm: readOid(partAt(algorithm, readSequence(algorithm), 0)),
    signed: partAt(signedObject, parts, 0).encoded,
    value: readWholeBytes(partAt(signedObject, parts, 2)),
  };
}

function checkVersion(version: Der): void {
  const number = readSmallNumber(partAt(version, readElements(version), 0));
  if (number > 2) {
    throw malformedDer(version, `version ${number + 1} is unknown`);
  }
}

/** Extensions are in `[3]`, after two optional identifiers, which are unused. */
function findExtensionList(rest: readonly Der[]): Der | undefined {
  const wrapper = rest.find((part) => part.tag === 0xa3);
  return wrapper && partAt(wrapper, readElements(wrapper), 0);
}
