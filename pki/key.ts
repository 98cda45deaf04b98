/** Generates keys and signs with the platform's cryptography. */

import { ConfigError } from "../errors.ts";
import {
  encodeBits,
  encodeDer,
  encodeOid,
  encodeSequence,
} from "./der_encode.ts";
import { derTag, partAt, readDer, readSequence } from "./der.ts";
import { type Curve, curveOid, keyOid } from "./oid.ts";
import {
  decodePrivateKey,
  pkcs8Content,
  type PrivateKey,
} from "./private_key.ts";
import type { KeyAlgorithm } from "./public_key.ts";

/** Options of {@linkcode generateKey}. */
export interface KeyOptions {
  /** Size of an RSA key; default 4096. */
  readonly rsaBits?: 2048 | 3072 | 4096;
  /**
   * Number of parallel searches for an RSA key; the first result is used, and the others run to their end. Default 1.
   */
  readonly searches?: number;
}

/** Generates a key. `algorithm`: ECDSA means P-256. */
export async function generateKey(
  algorithm: KeyAlgorithm = "Ed25519",
  {
    rsaBits: modulusLength = 4096,
    searches = 1,
  }: KeyOptions = {},
): Promise<PrivateKey> {
  const parameters = {
    ...signingAlgorithm({ algorithm, curve: "P-256" }),
    modulusLength,
    publicExponent: Uint8Array.of(1, 0, 1), // 65537
  };
  // The time to find primes is random, so the first of two searches finishes sooner.
  const { privateKey } = await Promise.race(
    Array.from(
      { length: algorithm === "RSA" ? Math.max(1, searches) : 1 },
      // All kinds of keys are pairs.
      () =>
        crypto.subtle.generateKey(parameters, true, [
          "sign",
          "verify",
        ]) as Promise<CryptoKeyPair>,
    ),
  );
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", privateKey);
  return {
    algorithm,
    curve: algorithm === "ECDSA" ? "P-256" : undefined,
    pkcs8: new Uint8Array(pkcs8),
  };
}

/** WebCrypto parameters of a key and its signatures; unneeded members are ignored. */
export interface SigningAlgorithm {
  readonly name: string;
  /** Hash, by kind and curve: P-256 SHA-256, P-384 SHA-384, P-521 and RSA SHA-512. */
  readonly hash: string;
  readonly namedCurve: string;
}

/** Signature algorithm of nodes for a kind of key. */
export function signingAlgorithm(
  { algorithm, curve = "P-256" }: Pick<PrivateKey, "algorithm" | "curve">,
): SigningAlgorithm {
  switch (algorithm) {
    case "Ed25519":
      return { name: "Ed25519", hash: "", namedCurve: "" };
    case "ECDSA":
      return { name: "ECDSA", hash: curveHash[curve], namedCurve: curve };
    case "RSA":
      return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-512", namedCurve: "" };
  }
}

/**
 * Loads a key for signing.
 *
 * @param algorithm Default that of nodes.
 * @throws {ConfigError} If the key is invalid, or too large for the platform (RSA: 4096 bits).
 */
export async function importSigningKey(
  key: PrivateKey,
  algorithm: SigningAlgorithm = signingAlgorithm(key),
): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey(
      "pkcs8",
      key.pkcs8.slice(),
      algorithm,
      true,
      ["sign"],
    );
  } catch (cause) {
    throw invalidKey(cause);
  }
}

/**
 * Computes the public key of a private key.
 *
 * @param key PEM with any label of {@linkcode decodePrivateKey}, or a decoded key.
 * @returns SubjectPublicKeyInfo, DER; the same bytes as in a certificate for this key.
 * @throws {ConfigError} If the private key is malformed, invalid or too large for the platform.
 */
export async function exportPublicSpki(
  key: string | Uint8Array | PrivateKey,
): Promise<Uint8Array> {
  const isPem = typeof key === "string" || key instanceof Uint8Array;
  const privateKey = isPem ? decodePrivateKey(key) : key;
  if (privateKey.algorithm === "RSA") return rsaSpki(privateKey);
  const { x, y } = await publicNumbers(privateKey);
  if (privateKey.algorithm === "Ed25519") return ed25519Spki(x);
  return ecSpki(privateKey.curve, x, y);
}

const curveHash: Readonly<Record<Curve, string>> = {
  "P-256": "SHA-256",
  "P-384": "SHA-384",
  "P-521": "SHA-512",
};

interface PublicNumbers {
  readonly x: Uint8Array;
  readonly y: Uint8Array;
}

/** JSON Web Key is the only platform format with the public half of a private key. */
async function publicNumbers(key: PrivateKey): Promise<PublicNumbers> {
  const loaded = await importSigningKey(key);
  try {
    const { x, y } = await crypto.subtle.exportKey("jwk", loaded);
    return { x: base64Url(x), y: base64Url(y) };
  } catch (cause) {
    // A mismatched public key inside is detected only here.
    throw invalidKey(cause);
  }
}

function ed25519Spki(point: Uint8Array): Uint8Array {
  const algorithm = encodeSequence(encodeOid(keyOid.ed25519));
  return encodeSequence(algorithm, encodeBits(point));
}

function ecSpki(
  curve: Curve = "P-256",
  x: Uint8Array,
  y: Uint8Array,
): Uint8Array {
  const algorithm = encodeSequence(
    encodeOid(keyOid.ec),
    encodeOid(curveOid[curve]),
  );
  return encodeSequence(algorithm, encodeBits(Uint8Array.of(4, ...x, ...y)));
}

function rsaSpki(key: PrivateKey): Uint8Array {
  const pkcs1 = pkcs8Content(readDer(key.pkcs8, "private key"));
  const parts = readSequence(pkcs1);
  const algorithm = encodeSequence(
    encodeOid(keyOid.rsa),
    encodeDer(derTag.null),
  );
  const numbers = encodeSequence(
    partAt(pkcs1, parts, 1).encoded,
    partAt(pkcs1, parts, 2).encoded,
  );
  return encodeSequence(algorithm, encodeBits(numbers));
}

function base64Url(text = ""): Uint8Array {
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}

function invalidKey(cause: unknown): ConfigError {
  return new ConfigError(
    "Cannot use private key: it is invalid, or its size is not supported",
    { cause },
  );
}

/** Source of random bytes: returns the given number of bytes. */
export type RandomBytes = (length: number) => Uint8Array;

/** Random bytes of the platform. */
export function platformBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
