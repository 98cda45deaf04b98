/** Creates a new CA, or accepts one from the operator. */

import { caOrganization } from "../../talos.ts";
import { ConfigError } from "../../errors.ts";
import { createCa, readCa } from "../../pki/ca.ts";
import type { CertificateAuthority } from "../../pki/certificate.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { generateKey } from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import {
  decodePrivateKey,
  encodePrivateKey,
  type PrivateKey,
} from "../../pki/private_key.ts";
import type { KeyAlgorithm } from "../../pki/public_key.ts";
import type { CaKind } from "./trust_list.ts";

const lifetimeMs = 87_600 * 60 * 60 * 1000;

/** Minimum remaining validity of a CA: a month. */
const leastMs = 30 * 24 * 60 * 60 * 1000;

/** Key algorithms nodes and Kubernetes accept; the first is used for new keys. */
const algorithms: Readonly<Record<CaKind, readonly KeyAlgorithm[]>> = {
  os: ["Ed25519", "ECDSA", "RSA"],
  kubernetes: ["ECDSA", "RSA"],
};

const organizations: Readonly<Record<CaKind, string>> = {
  os: caOrganization,
  kubernetes: "kubernetes",
};

/** Creates the key of a CA. Returns PEM. */
export async function newCaKey(kind: CaKind): Promise<string> {
  return encodePrivateKey(await generateKey(algorithms[kind][0]));
}

/**
 * Creates the certificate of a CA.
 *
 * @param key Its key, PEM.
 * @param now Current time, in milliseconds since 1970.
 * @returns PEM.
 */
export async function newCaCertificate(
  kind: CaKind,
  key: string,
  now: number,
): Promise<string> {
  const { certificate } = await createCa({
    organizations: [organizations[kind]],
    key: decodePrivateKey(key),
    now: new Date(now),
    notAfter: new Date(now + lifetimeMs),
  });
  return encodePem(pemLabel.certificate, certificate);
}

interface CaPair {
  readonly crt: string;
  readonly key: string;
}

/**
 * Reads a CA supplied by the operator.
 *
 * @param bundle Certificate and key, concatenated PEM.
 * @param now Current time, in milliseconds since 1970.
 * @throws {ConfigError} If one is missing, they do not match, it may not sign certificates, it is expired, or its key
 * algorithm is not supported.
 */
export async function givenCa(
  bundle: Uint8Array,
  kind: CaKind,
  now: number,
): Promise<CaPair> {
  const issuer = await readCa(bundle, bundle);
  checkTime(issuer, now);
  checkKey(issuer.key, kind);
  return {
    crt: encodePem(pemLabel.certificate, issuer.certificate),
    key: encodePrivateKey(issuer.key),
  };
}

function checkTime({ certificate }: CertificateAuthority, now: number): void {
  const { notBefore, notAfter } = inspectCertificate(certificate);
  if (notBefore.getTime() > now) {
    throw unusable(`it is not valid before ${notBefore.toISOString()}`);
  }
  if (notAfter.getTime() < now) {
    throw unusable(`it expired on ${notAfter.toISOString()}`);
  }
  if (notAfter.getTime() < now + leastMs) {
    throw unusable(`it expires on ${notAfter.toISOString()}, within a month`);
  }
}

function checkKey({ algorithm }: PrivateKey, kind: CaKind): void {
  const usable = algorithms[kind];
  if (usable.includes(algorithm)) return;
  throw unusable(`its key is ${algorithm}, not ${usable.join(" or ")}`);
}

function unusable(reason: string): ConfigError {
  return new ConfigError(`Cannot use the CA: ${reason}`, {
    hint: "Use another CA, or omit it to generate one",
  });
}
