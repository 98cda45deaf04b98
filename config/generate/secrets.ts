/** Secrets shared by the nodes of a cluster. */

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

/** A certificate authority in document form. */
export interface EncodedCa {
  /** Certificate: base64 of its PEM file. */
  readonly crt: string;
  /** Private key: base64 of its PEM file. */
  readonly key: string;
}

/** A private key in document form. */
export interface EncodedKey {
  readonly key: string;
}

/** The secrets of a cluster, the basis of all its configurations. */
export interface SecretsBundle {
  /** Identity of the cluster for the discovery service. */
  readonly cluster: {
    /** 32 bytes in base64, URL-safe before 1.14. */
    readonly id: string;
    /** Key for discovery data of members, 32 bytes, base64. */
    readonly secret: string;
  };
  /** Kubernetes secrets; exactly one of the two encryption secrets is set. */
  readonly secrets: {
    /** Join token for kubelets: 6 and 16 characters separated by a dot. */
    readonly bootstrapToken: string;
    /** Encryption key for secrets in etcd up to OS v1.2, 32 bytes, base64. */
    readonly aescbcEncryptionSecret?: string;
    /** Encryption key for secrets in etcd, 32 bytes, base64. */
    readonly secretboxEncryptionSecret?: string;
  };
  /** Settings of the service that issues certificates to nodes. */
  readonly trustdInfo: {
    /** Join token for workers, in the form of the bootstrap token. */
    readonly token: string;
  };
  readonly certs: {
    readonly etcd: EncodedCa;
    readonly k8s: EncodedCa;
    /** CA of the API server's aggregation layer. */
    readonly k8sAggregator: EncodedCa;
    /** Key that signs service account tokens. */
    readonly k8sServiceAccount: EncodedKey;
    readonly os: EncodedCa;
  };
}

/** Existing secrets; the others are generated. */
interface GivenSecrets {
  readonly bootstrapToken?: string | undefined;
  readonly certs?: Partial<SecretsBundle["certs"]>;
}

/** Options of {@linkcode generateSecrets}. */
export interface GenerateOptions {
  /** OS version that must accept the secrets. */
  readonly contract: Contract;
  /** Current time; certificates are valid for 87600 h from it. */
  readonly now: Date;
  /** Existing secrets; default none. */
  readonly given?: GivenSecrets;
  /** Random source of tokens and secrets, but not of keys; default the platform. */
  readonly random?: RandomBytes;
  /** Cores for generating an RSA key, of which two are used; default one. */
  readonly cores?: number;
  /** Key generator; default the platform. */
  readonly makeKey?: (
    algorithm: KeyAlgorithm,
    options?: KeyOptions,
  ) => Promise<PrivateKey>;
}

/** Generates the secrets of a new cluster; all keys in parallel. */
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

/** Creates a service account key without delay (P-256), as before v1.7; nodes of any version accept it. */
export async function newServiceAccountKey(): Promise<EncodedKey> {
  return { key: encodeFile(encodePrivateKey(await generateKey("ECDSA"))) };
}

/** Encodes a file for documents. `pem`: PEM. Returns base64, with padding. */
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
  // The time to find an RSA key is random, so the first of two searches finishes sooner.
  const key = await makeKey(algorithm, { searches: Math.min(2, cores) });
  return { key: encodeFile(encodePrivateKey(key)) };
}

const characters = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Larger bytes are skipped, so that all characters are equally likely. */
const bound = 256 - 256 % characters.length;

/** Creates a token as `kubeadm` does: 6 public characters, a dot, 16 secret ones. */
export function randomToken(random: RandomBytes): string {
  return `${randomCharacters(6, random)}.${randomCharacters(16, random)}`;
}

/** Creates a text of random lower-case letters and digits. */
export function randomCharacters(length: number, random: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    const bytes = random(length - text.length).filter((byte) => byte < bound);
    for (const byte of bytes) text += characters[byte % characters.length];
  }
  return text;
}
