/**
 * Private keys in PKCS#8 (RFC 5958), SEC1 (RFC 5915) and PKCS#1 (RFC 8017).
 *
 * Every form is converted to PKCS#8. This file does no cryptography.
 */

import { ConfigError } from "../errors.ts";
import { readOid, readSmallNumber } from "./der_values.ts";
import {
  encodeDer,
  encodeOid,
  encodeSequence,
  encodeSmallNumber,
} from "./der_encode.ts";
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
import { type Curve, curveOid, findCurve, keyOid } from "./oid.ts";
import { decodePem, encodePem, type PemBlock } from "./pem.ts";
import { type KeyAlgorithm, readAlgorithm } from "./public_key.ts";

/** A private key. */
export interface PrivateKey {
  readonly algorithm: KeyAlgorithm;
  /** Curve of an ECDSA key, else `undefined`. */
  readonly curve: Curve | undefined;
  readonly pkcs8: Uint8Array;
}

/**
 * Decodes a private key; other blocks, such as certificates, are skipped.
 *
 * @param pem Label `ED25519 PRIVATE KEY`, `EC PRIVATE KEY`, `RSA PRIVATE KEY` or `PRIVATE KEY`.
 * @throws {ConfigError} If there is not exactly one key, or it is encrypted, malformed or of an unsupported kind.
 */
export function decodePrivateKey(pem: string | Uint8Array): PrivateKey {
  const blocks = decodePem(pem);
  const keys = blocks.filter(({ label }) => label.endsWith("PRIVATE KEY"));
  const [block] = keys;
  if (block === undefined) {
    throw new ConfigError(
      `Cannot read private key: found only "${blocks[0]?.label}"`,
    );
  }
  if (keys.length > 1) {
    throw new ConfigError(`Cannot read private key: found ${keys.length} keys`);
  }
  return keyOfBlock(block);
}

/**
 * Encodes a private key with the label that nodes expect. Ed25519: `ED25519
 * PRIVATE KEY` (PKCS#8); ECDSA: `EC PRIVATE KEY` (SEC1); RSA: `RSA PRIVATE KEY` (PKCS#1).
 */
export function encodePrivateKey(key: PrivateKey): string {
  const inner = pkcs8Content(readDer(key.pkcs8, "private key"));
  switch (key.algorithm) {
    case "Ed25519":
      return encodePem("ED25519 PRIVATE KEY", key.pkcs8);
    case "ECDSA":
      return encodePem("EC PRIVATE KEY", readSec1(inner, key.curve));
    case "RSA":
      return encodePem("RSA PRIVATE KEY", inner.encoded);
  }
}

/**
 * Encodes a private key in the form that every TLS library accepts.
 *
 * The runtime's TLS silently ignores a key labelled `ED25519 PRIVATE KEY` and then presents
 * no certificate, so it only gets keys in this form.
 *
 * @returns Label `PRIVATE KEY`, PKCS#8.
 */
export function encodePkcs8(key: PrivateKey): string {
  return encodePem("PRIVATE KEY", key.pkcs8);
}

/**
 * Unwraps PKCS#8. Returns the inner encoding: SEC1, PKCS#1, or the Ed25519 seed as
 * OCTET STRING. Throws `ConfigError` if it is malformed.
 */
export function pkcs8Content(pkcs8: Der): Der {
  const wrapped = partAt(pkcs8, readSequence(pkcs8), 2);
  return readDer(
    requireTag(wrapped, derTag.octetString).content,
    "private key",
  );
}

function keyOfBlock({ label, der }: PemBlock): PrivateKey {
  const key = readDer(der, "private key");
  switch (label) {
    case "PRIVATE KEY":
      return ofPkcs8(key);
    case "ED25519 PRIVATE KEY":
      return ofPkcs8(key, "Ed25519");
    case "EC PRIVATE KEY":
      return ofSec1(key);
    case "RSA PRIVATE KEY":
      return ofPkcs1(key);
    case "ENCRYPTED PRIVATE KEY":
      throw new ConfigError("Cannot read private key: it is encrypted", {
        hint: "Decrypt it with openssl pkey",
      });
    default:
      throw new ConfigError(
        `Cannot read private key: "${label}" is not supported`,
      );
  }
}

function ofPkcs8(key: Der, expected?: KeyAlgorithm): PrivateKey {
  const { keyAlgorithm, curve } = readAlgorithm(
    partAt(key, readSequence(key), 1),
  );
  if (expected !== undefined && keyAlgorithm !== expected) {
    throw malformedDer(key, `expected ${expected}, found ${keyAlgorithm}`);
  }
  const content = pkcs8Content(key);
  switch (keyAlgorithm) {
    case "Ed25519":
      return ofSeed(content);
    case "RSA":
      return ofPkcs1(content);
    case "ECDSA":
      return ofSec1(content, curve);
    default:
      throw malformedDer(key, `algorithm ${keyAlgorithm} is not supported`);
  }
}

/** Drops the public key of PKCS#8 version 2, which few programs support. */
function ofSeed(seed: Der): PrivateKey {
  if (requireTag(seed, derTag.octetString).content.length !== 32) {
    throw malformedDer(seed, "an Ed25519 key has 32 bytes");
  }
  const algorithm = encodeSequence(encodeOid(keyOid.ed25519));
  return {
    algorithm: "Ed25519",
    curve: undefined,
    pkcs8: wrap(algorithm, seed.encoded),
  };
}

function ofPkcs1(key: Der): PrivateKey {
  const parts = readSequence(key);
  if (parts.length < 9 || readSmallNumber(partAt(key, parts, 0)) !== 0) {
    throw malformedDer(key, "it is not an RSA key");
  }
  const algorithm = encodeSequence(
    encodeOid(keyOid.rsa),
    encodeDer(derTag.null),
  );
  return {
    algorithm: "RSA",
    curve: undefined,
    pkcs8: wrap(algorithm, key.encoded),
  };
}

/** @param outer Curve from PKCS#8; a bare SEC1 key must include it. */
function ofSec1(key: Der, outer?: Curve): PrivateKey {
  const parts = readSequence(key);
  const inner = parts.find((part) => part.tag === curveTag);
  const curve = outer ?? (inner && findCurve(readOid(readSole(inner))));
  if (curve === undefined) {
    throw malformedDer(key, "its curve is not P-256, P-384 or P-521");
  }
  const algorithm = encodeSequence(
    encodeOid(keyOid.ec),
    encodeOid(curveOid[curve]),
  );
  const bare = parts.filter((part) => part !== inner).map((part) =>
    part.encoded
  );
  const pkcs8 = wrap(algorithm, encodeSequence(...bare));
  return { algorithm: "ECDSA", curve, pkcs8 };
}

/** Optional members of SEC1: `[0]` curve, `[1]` public key. */
const curveTag = 0xa0;
const publicTag = 0xa1;

function readSec1(inner: Der, curve: Curve | undefined): Uint8Array {
  if (curve === undefined) throw malformedDer(inner, "its curve is not known");
  const parts = readSequence(inner);
  const named = encodeDer(curveTag, encodeOid(curveOid[curve]));
  const publicKey = parts.filter((part) => part.tag === publicTag);
  return encodeSequence(
    partAt(inner, parts, 0).encoded,
    partAt(inner, parts, 1).encoded,
    named,
    ...publicKey.map((part) => part.encoded),
  );
}

function readSole(der: Der): Der {
  return partAt(der, readElements(der), 0);
}

function wrap(algorithm: Uint8Array, content: Uint8Array): Uint8Array {
  return encodeSequence(
    encodeSmallNumber(0),
    algorithm,
    encodeDer(derTag.octetString, content),
  );
}
