/** Public keys in their DER form, SubjectPublicKeyInfo (RFC 5280, 4.1.2.7). */

import { readOid, readWholeBytes } from "./der_values.ts";
import { type Der, derTag, partAt, readDer, readSequence } from "./der.ts";
import { type Curve, findCurve, keyOid } from "./oid.ts";

/** Supported key algorithms. */
export type KeyAlgorithm = "Ed25519" | "ECDSA" | "RSA";

/** A public key and its kind. */
export interface PublicKeyFacts {
  readonly spki: Uint8Array;
  /** `"Ed25519"`, `"ECDSA"`, `"RSA"`, or the object identifier of another algorithm. */
  readonly keyAlgorithm: KeyAlgorithm | (string & Record<never, never>);
  /** Curve of an ECDSA key; absent for other keys and unsupported curves. */
  readonly curve: Curve | undefined;
}

/** Parses a SubjectPublicKeyInfo. Throws `ConfigError` if it is malformed. */
export function readPublicKey(der: Der): PublicKeyFacts {
  const parts = readSequence(der);
  readWholeBytes(partAt(der, parts, 1));
  return { spki: der.encoded, ...readAlgorithm(partAt(der, parts, 0)) };
}

/** Parses a public key, DER SubjectPublicKeyInfo. Throws `ConfigError` if it is malformed. */
export function inspectPublicKey(spki: Uint8Array): PublicKeyFacts {
  return readPublicKey(readDer(spki, "public key"));
}

/** Parses the AlgorithmIdentifier of a key, public or private. Throws `ConfigError` if it is malformed. */
export function readAlgorithm(
  identifier: Der,
): Pick<PublicKeyFacts, "keyAlgorithm" | "curve"> {
  const parts = readSequence(identifier);
  const oid = readOid(partAt(identifier, parts, 0));
  const parameters = parts[1];
  const curve = oid === keyOid.ec && parameters?.tag === derTag.oid
    ? findCurve(readOid(parameters))
    : undefined;
  return { keyAlgorithm: algorithmNames.get(oid) ?? oid, curve };
}

const algorithmNames: ReadonlyMap<string, KeyAlgorithm> = new Map([
  [keyOid.ed25519, "Ed25519"],
  [keyOid.ec, "ECDSA"],
  [keyOid.rsa, "RSA"],
]);
