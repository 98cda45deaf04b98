/** Detached signatures (CMS, RFC 5652), in the form that firmware accepts. */

import { ConfigError } from "../errors.ts";
import {
  encodeDer,
  encodeOid,
  encodeSequence,
  encodeSet,
  encodeSmallNumber,
  encodeTime,
  encodeUnsigned,
} from "./der_encode.ts";
import { derTag, sameBytes } from "./der.ts";
import { inspectCertificate } from "./inspect.ts";
import { exportPublicSpki, importSigningKey } from "./key.ts";
import { keyOid, signedDataOid } from "./oid.ts";
import type { PrivateKey } from "./private_key.ts";

/** A verified certificate and key. */
export interface RsaSigner {
  readonly certificate: Uint8Array;
  /** RSA key of {@linkcode certificate}. */
  readonly key: PrivateKey;
}

/**
 * Verifies that a key can sign and matches the certificate.
 *
 * @param certificate DER.
 * @throws {ConfigError} If it is not an RSA key or does not match, or the certificate is malformed.
 */
export async function makeRsaSigner(
  certificate: Uint8Array,
  key: PrivateKey,
): Promise<RsaSigner> {
  if (key.algorithm !== "RSA") {
    throw new ConfigError(
      `Cannot sign for firmware: expected an RSA key, found ${key.algorithm}`,
    );
  }
  const { spki } = inspectCertificate(certificate);
  if (!sameBytes(spki, await exportPublicSpki(key))) {
    throw new ConfigError(
      "Cannot sign for firmware: the key does not match the certificate",
    );
  }
  return { certificate, key };
}

/**
 * Signs bytes with SHA-256 and PKCS#1 v1.5; the signature includes the certificate, not the bytes.
 *
 * @param time Signing time, truncated to the second.
 * @returns `SignedData`, DER, without the `ContentInfo` around it (RFC 5652, 5.1).
 */
export async function signDetached(
  content: Uint8Array,
  { certificate, key }: RsaSigner,
  time: Date,
): Promise<Uint8Array<ArrayBuffer>> {
  const attributes = await encodeAttributes(content, time);
  const signature = await rsaSha256(key, encodeSet(attributes));
  const { issuer, serial } = inspectCertificate(certificate);
  const digest = encodeAlgorithm(signedDataOid.sha256);
  const signerInfo = encodeSequence(
    encodeSmallNumber(1),
    encodeSequence(issuer.der, encodeUnsigned(Uint8Array.fromHex(serial))),
    digest,
    encodeDer(implicit0, ...attributes),
    encodeAlgorithm(keyOid.rsa),
    encodeDer(derTag.octetString, signature),
  );
  return encodeSequence(
    encodeSmallNumber(1),
    encodeSet([digest]),
    encodeSequence(encodeOid(signedDataOid.data)),
    encodeDer(implicit0, certificate),
    encodeSet([signerInfo]),
  );
}

/** Tag of both optional members of a signature: certificates and attributes. */
const implicit0 = 0xa0;

/** In DER order, which here is by length. */
async function encodeAttributes(
  content: Uint8Array,
  time: Date,
): Promise<readonly Uint8Array[]> {
  const hash = await crypto.subtle.digest("SHA-256", content.slice());
  return [
    attribute(signedDataOid.contentType, encodeOid(signedDataOid.data)),
    attribute(signedDataOid.signingTime, encodeTime(time)),
    attribute(
      signedDataOid.messageDigest,
      encodeDer(derTag.octetString, new Uint8Array(hash)),
    ),
  ];
}

function attribute(type: string, value: Uint8Array): Uint8Array {
  return encodeSequence(encodeOid(type), encodeSet([value]));
}

function encodeAlgorithm(oid: string): Uint8Array {
  return encodeSequence(encodeOid(oid), encodeDer(derTag.null));
}

async function rsaSha256(
  key: PrivateKey,
  signed: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    namedCurve: "",
  };
  const loaded = await importSigningKey(key, algorithm);
  return new Uint8Array(await crypto.subtle.sign(algorithm, loaded, signed));
}
