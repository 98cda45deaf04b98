/** Everything secret that the nodes of a cluster have in common. */

import { caOrganization } from "../../talos.ts";
import { createCa } from "../../pki/ca.ts";
import {
  generateKey,
  type KeyOptions,
  platformBytes,
  type RandomBytes,
} from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePrivateKey, type PrivateKey } from "../../pki/private_key.ts";
import type { KeyAlgorithm } from "../../pki/public_key.ts";
import type { Contract } from "./contract.ts";

/** A certificate authority, as documents hold it. */
export interface EncodedCa {
  /** Certificate: base64 of its PEM file. */
  readonly crt: string;
  /** Private key: base64 of its PEM file. */
  readonly key: string;
}

/** A private key, as documents hold it. */
export interface EncodedKey {
  readonly key: string;
}

/** The secrets of a cluster, from which all its configurations follow. */
export interface SecretsBundle {
  /** Identity of the cluster for the discovery service. */
  readonly cluster: {
    /** 32 bytes in base64, URL-safe before 1.14. */
    readonly id: string;
    /** Key of what members tell each other, 32 bytes, base64. */
    readonly secret: string;
  };
  /** Secrets of Kubernetes; of the two encryption secrets there is exactly one. */
  readonly secrets: {
    /** Token by which kubelets join: 6 and 16 characters with a point between. */
    readonly bootstrapToken: string;
    /** Key by which secrets in etcd are encrypted up to OS v1.2, 32 bytes, base64. */
    readonly aescbcEncryptionSecret?: string;
    /** Key by which secrets in etcd are encrypted, 32 bytes, base64. */
    readonly secretboxEncryptionSecret?: string;
  };
  /** What nodes get their certificates from. */
  readonly trustdInfo: {
    /** Token by which workers join, of the form of the bootstrap token. */
    readonly token: string;
  };
  readonly certs: {
    readonly etcd: EncodedCa;
    readonly k8s: EncodedCa;
    /** CA of the API server's aggregation layer. */
    readonly k8sAggregator: EncodedCa;
    /** Key that signs tokens of service accounts. */
    readonly k8sServiceAccount: EncodedKey;
    readonly os: EncodedCa;
  };
}

/** Secrets that are there already; the others are made. */
interface GivenSecrets {
  readonly bootstrapToken?: string | undefined;
  readonly certs?: Partial<SecretsBundle["certs"]>;
}

/** Options of {@linkcode generateSecrets}. */
export interface GenerateOptions {
  /** Version that has to understand the secrets. */
  readonly contract: Contract;
  /** Present moment; certificates are valid for 87600 h from it. */
  readonly now: Date;
  /** Secrets that are there already; default none. */
  readonly given?: GivenSecrets;
  /** Where tokens and secrets come from, but not keys; default the platform. */
  readonly random?: RandomBytes;
  /** Cores to search for a key of RSA on, of which two are used; default one. */
  readonly cores?: number;
  /** Where keys come from; default the platform. */
  readonly makeKey?: (
    algorithm: KeyAlgorithm,
    options?: KeyOptions,
  ) => Promise<PrivateKey>;
}

/** Makes the secrets of a new cluster; all keys at the same time. */
export async function generateSecrets(
  options: GenerateOptions,
): Promise<SecretsBundle> {
  const { contract, given = {}, random = platformBytes } = options;
  const { certs = {} } = given;
  const encryption = contract.secretbox
    ? "secretboxEncryptionSecret"
    : "aescbcEncryptionSecret";
  const [k8sServiceAccount, etcd, k8s, k8sAggregator, os] = await Promise.all([
    // First, since an RSA key takes longest.
    certs.k8sServiceAccount ?? serviceAccountKey(options),
    certs.etcd ?? newCa("ECDSA", ["etcd"], options),
    certs.k8s ?? newCa("ECDSA", ["kubernetes"], options),
    certs.k8sAggregator ?? newCa("ECDSA", [], options),
    certs.os ?? newCa("Ed25519", [caOrganization], options),
  ]);
  return {
    cluster: {
      id: random(32).toBase64({
        alphabet: contract.split ? "base64" : "base64url",
      }),
      secret: random(32).toBase64(),
    },
    secrets: {
      bootstrapToken: given.bootstrapToken ?? randomToken(random),
      [encryption]: random(32).toBase64(),
    },
    trustdInfo: { token: randomToken(random) },
    certs: { etcd, k8s, k8sAggregator, k8sServiceAccount, os },
  };
}

/** Makes a key for service accounts that takes no time, as clusters before v1.7 have it; nodes of any version take it. */
export async function newServiceAccountKey(): Promise<EncodedKey> {
  return { key: encodeFile(encodePrivateKey(await generateKey("ECDSA"))) };
}

/** Writes a file the way documents hold it. `pem`: PEM. Returns base64, with padding. */
export function encodeFile(pem: string | Uint8Array): string {
  const bytes = typeof pem === "string" ? new TextEncoder().encode(pem) : pem;
  return bytes.toBase64();
}

const lifetimeMs = 87_600 * 60 * 60 * 1000;

async function newCa(
  algorithm: KeyAlgorithm,
  organizations: readonly string[],
  { now, random, makeKey = generateKey }: GenerateOptions,
): Promise<EncodedCa> {
  const { certificate, key } = await createCa({
    organizations,
    key: await makeKey(algorithm),
    now,
    notAfter: new Date(now.getTime() + lifetimeMs),
    ...(random && { random }),
  });
  return {
    crt: encodeFile(encodePem(pemLabel.certificate, certificate)),
    key: encodeFile(encodePrivateKey(key)),
  };
}

async function serviceAccountKey(
  { contract, cores = 1, makeKey = generateKey }: GenerateOptions,
): Promise<EncodedKey> {
  const algorithm = contract.rsaServiceAccount ? "RSA" : "ECDSA";
  // How long one core searches for a key of RSA is luck, so the first of two comes sooner.
  const key = await makeKey(algorithm, { searches: Math.min(2, cores) });
  return { key: encodeFile(encodePrivateKey(key)) };
}

const characters = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Bytes from here on are omitted, so that every character is as likely as another. */
const bound = 256 - 256 % characters.length;

/** Makes a token as `kubeadm` does: 6 characters that name it, a point, 16 that are secret. */
export function randomToken(random: RandomBytes): string {
  return `${randomCharacters(6, random)}.${randomCharacters(16, random)}`;
}

/** Makes a text of lower-case letters and digits. */
export function randomCharacters(length: number, random: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    const bytes = random(length - text.length).filter((byte) => byte < bound);
    for (const byte of bytes) text += characters[byte % characters.length];
  }
  return text;
}
