/** Vault encryption: a random data key, wrapped by the operator's key. */

import { ConfigError } from "../../errors.ts";

/** The operator's key of a vault. */
export type VaultKey =
  | {
    /** Passphrase, typed or from the environment. */
    readonly passphrase: string;
  }
  | {
    /** At least 32 bytes from a file. */
    readonly bytes: Uint8Array<ArrayBuffer>;
  };

/** Encrypted content; both parts are base64. */
export interface Sealed {
  /** 12 bytes, used once. */
  readonly iv: string;
  /** Ciphertext with its tag of 16 bytes. */
  readonly sealed: string;
}

/** A wrapped data key. */
export type WrappedKey =
  & Sealed
  & (
    | {
      /** Wrapped by a key derived from a passphrase (PBKDF2, RFC 8018, with SHA-256). */
      readonly way: "passphrase";
      /** 16 bytes, base64. */
      readonly salt: string;
      /** PBKDF2 iterations. */
      readonly rounds: number;
    }
    | {
      readonly way: "file";
    }
  );

/** Iterations for new vaults: about a third of a second. */
export const usualRounds = 600_000;

/** Maximum iterations, against denial of service. */
const mostRounds = 10_000_000;

/** Minimum length of a key file, in bytes. */
const keyBytes = 32;

const algorithm = "AES-GCM";

/** Makes a data key. */
export async function newDataKey(): Promise<CryptoKey> {
  return await crypto.subtle.generateKey(
    { name: algorithm, length: 256 },
    true,
    ["encrypt", "decrypt"],
  );
}

/**
 * Encrypts.
 *
 * @param key Data key, or wrapping key.
 * @param purpose Authenticated: decryption requires the same purpose.
 */
export async function seal(
  key: CryptoKey,
  content: Uint8Array<ArrayBuffer>,
  purpose: string,
): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt(
    { name: algorithm, iv, additionalData: new TextEncoder().encode(purpose) },
    key,
    content,
  );
  return { iv: iv.toBase64(), sealed: new Uint8Array(sealed).toBase64() };
}

/**
 * Decrypts.
 *
 * @param sealed From {@linkcode seal}.
 * @returns `undefined` when key or purpose differ, or the content was changed.
 */
export async function unseal(
  key: CryptoKey,
  { iv, sealed }: Sealed,
  purpose: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const content = await crypto.subtle.decrypt(
      {
        name: algorithm,
        iv: Uint8Array.fromBase64(iv),
        additionalData: new TextEncoder().encode(purpose),
      },
      key,
      Uint8Array.fromBase64(sealed),
    );
    return new Uint8Array(content);
  } catch (error) {
    const isDamage = error instanceof SyntaxError ||
      error instanceof DOMException || error instanceof TypeError;
    if (isDamage) return undefined;
    throw error;
  }
}

/** Wraps a data key. Throws `ConfigError` if the operator's key is too short. */
export async function wrapKey(
  dataKey: CryptoKey,
  key: VaultKey,
  rounds: number,
): Promise<WrappedKey> {
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", dataKey));
  if ("bytes" in key) {
    const sealed = await seal(await keyOfBytes(key.bytes), raw, keyPurpose);
    return { way: "file", ...sealed };
  }
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const outer = await keyOfPassphrase(key.passphrase, salt, rounds);
  const sealed = await seal(outer, raw, keyPurpose);
  return { way: "passphrase", salt: salt.toBase64(), rounds, ...sealed };
}

/**
 * Unwraps a data key.
 *
 * @param wrapped From {@linkcode wrapKey}.
 * @throws {ConfigError} If the operator's key is wrong, or of another kind.
 */
export async function unwrapKey(
  wrapped: WrappedKey,
  key: VaultKey,
): Promise<CryptoKey> {
  const outer = await outerKey(wrapped, key);
  const raw = await unseal(outer, wrapped, keyPurpose);
  if (raw === undefined) {
    throw new ConfigError(
      wrapped.way === "passphrase"
        ? "Cannot open the vault: wrong passphrase, or the file is damaged"
        : "Cannot open the vault: wrong key file, or the vault is damaged",
      { hint: "Use the key the run was started with" },
    );
  }
  return await importKey(raw);
}

const keyPurpose = "osctl vault key";

async function outerKey(
  wrapped: WrappedKey,
  key: VaultKey,
): Promise<CryptoKey> {
  if (wrapped.way === "file") {
    if ("bytes" in key) return await keyOfBytes(key.bytes);
    throw otherKind("a key file");
  }
  if (!("passphrase" in key)) throw otherKind("a passphrase");
  const { salt, rounds } = wrapped;
  const isSane = Number.isInteger(rounds) && rounds > 0 && rounds <= mostRounds;
  if (!isSane) {
    throw new ConfigError(
      `Cannot open the vault: it requires ${rounds} rounds, and at most ${mostRounds} are allowed`,
    );
  }
  return await keyOfPassphrase(
    key.passphrase,
    Uint8Array.fromBase64(salt),
    rounds,
  );
}

function otherKind(kind: string): ConfigError {
  return new ConfigError(`Cannot open the vault: it was made with ${kind}`, {
    hint: "Use the key the run was started with",
  });
}

async function keyOfBytes(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  if (bytes.length < keyBytes) {
    throw new ConfigError(
      `Cannot use the key file: it has ${bytes.length} bytes, and at least ${keyBytes} are needed`,
    );
  }
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return await importKey(new Uint8Array(hash));
}

async function keyOfPassphrase(
  passphrase: string,
  salt: Uint8Array<ArrayBuffer>,
  rounds: number,
): Promise<CryptoKey> {
  if (passphrase.length < 8) {
    throw new ConfigError(
      "Cannot use the passphrase: it has fewer than 8 characters",
    );
  }
  const base = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(passphrase.normalize("NFC")),
    "PBKDF2",
    false,
    ["deriveKey"],
  );
  return await crypto.subtle.deriveKey(
    { name: "PBKDF2", hash: "SHA-256", salt, iterations: rounds },
    base,
    { name: algorithm, length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

async function importKey(raw: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return await crypto.subtle.importKey("raw", raw, algorithm, true, [
    "encrypt",
    "decrypt",
  ]);
}
