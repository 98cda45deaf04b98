/** Verifies signatures of certificates and requests with the platform's cryptography. */

import { ConfigError } from "../errors.ts";
import { readUnsigned } from "./der_values.ts";
import { partAt, readDer, readSequence } from "./der.ts";
import type { Signature } from "./inspect.ts";
import type { SigningAlgorithm } from "./key.ts";
import type { Curve } from "./oid.ts";
import { inspectPublicKey, type KeyAlgorithm } from "./public_key.ts";

/**
 * Reports whether a signature was made with a key.
 *
 * @param spki Public key, DER SubjectPublicKeyInfo.
 * @throws {ConfigError} If the algorithm or the key is not supported.
 */
export async function verifyWithKey(
  signature: Signature,
  spki: Uint8Array,
): Promise<boolean> {
  const scheme = schemes.get(signature.algorithm);
  if (scheme === undefined) {
    throw new ConfigError(
      `Cannot check a signature: algorithm ${signature.algorithm} is not supported`,
    );
  }
  const { keyAlgorithm, curve } = inspectPublicKey(spki);
  if (keyAlgorithm !== scheme.key) return false;
  const value = scheme.key === "ECDSA"
    ? rawSignature(signature.value, curve)
    : signature.value;
  if (value === undefined) return false;
  const algorithm = webAlgorithm(scheme, curve);
  try {
    return await verifyRaw(algorithm, spki, value, signature.signed);
  } catch (cause) {
    // The platform rejects some wrong keys on import, others on use.
    throw new ConfigError(
      "Cannot use public key: it is invalid, or its size is not supported",
      {
        cause,
      },
    );
  }
}

interface Scheme {
  readonly key: KeyAlgorithm;
  readonly hash: string;
}

/** Signature algorithms by object identifier (RFC 8410, RFC 5758, RFC 8017). */
const schemes: ReadonlyMap<string, Scheme> = new Map([
  ["1.3.101.112", { key: "Ed25519", hash: "" }],
  ["1.2.840.10045.4.3.2", { key: "ECDSA", hash: "SHA-256" }],
  ["1.2.840.10045.4.3.3", { key: "ECDSA", hash: "SHA-384" }],
  ["1.2.840.10045.4.3.4", { key: "ECDSA", hash: "SHA-512" }],
  ["1.2.840.113549.1.1.11", { key: "RSA", hash: "SHA-256" }],
  ["1.2.840.113549.1.1.12", { key: "RSA", hash: "SHA-384" }],
  ["1.2.840.113549.1.1.13", { key: "RSA", hash: "SHA-512" }],
]);

function webAlgorithm(
  scheme: Scheme,
  curve: Curve | undefined,
): SigningAlgorithm {
  const name = scheme.key === "RSA" ? "RSASSA-PKCS1-v1_5" : scheme.key;
  return { name, hash: scheme.hash, namedCurve: curve ?? "" };
}

async function verifyRaw(
  algorithm: SigningAlgorithm,
  spki: Uint8Array,
  value: Uint8Array,
  signed: Uint8Array,
): Promise<boolean> {
  const { subtle } = crypto;
  const key = await subtle.importKey("spki", spki.slice(), algorithm, false, [
    "verify",
  ]);
  return await subtle.verify(algorithm, key, value.slice(), signed.slice());
}

const coordinateBytes: Readonly<Record<Curve, number>> = {
  "P-256": 32,
  "P-384": 48,
  "P-521": 66,
};

/**
 * ECDSA signature in WebCrypto form: both numbers at full width, without DER. Returns
 * `undefined` if a number is too large for the curve, or the curve is not supported.
 */
function rawSignature(
  der: Uint8Array,
  curve: Curve | undefined,
): Uint8Array | undefined {
  const signature = readDer(der, "signature");
  const parts = readSequence(signature);
  const numbers = [0, 1].map((index) =>
    readUnsigned(partAt(signature, parts, index))
  );
  const width = curve === undefined ? 0 : coordinateBytes[curve];
  if (numbers.some((number) => number.length > width)) return undefined;
  const raw = new Uint8Array(2 * width);
  for (const [index, number] of numbers.entries()) {
    raw.set(number, (index + 1) * width - number.length);
  }
  return raw;
}
