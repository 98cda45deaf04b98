/** Encryption of a vault: a random data key, itself encrypted by what the operator holds. */

import { ConfigError } from "../../errors.ts";

/** What the operator opens a vault with. */
export type VaultKey =
  | {
    /** Text that is typed, or comes from the environment. */
    readonly passphrase: string;
  }
  | {
    /** At least 32 bytes out of a file. */
    readonly bytes: Uint8Array<ArrayBuffer>;
  };

/** Something encrypted; both parts are base64. */
export interface Sealed {
  /** 12 bytes that are used once. */
  readonly iv: string;
  /** Content and its tag of 16 bytes. */
  readonly sealed: string;
}

/** A data key, encrypted. */
export type WrappedKey =
  & Sealed
  & (
    | {
      /** By a key out of a passphrase (PBKDF2, RFC 8018, with SHA-256). */
      readonly way: "passphrase";
      /** 16 bytes, base64. */
      readonly salt: string;
      /** How often the passphrase is hashed. */
      readonly rounds: number;
    }
    | {
      readonly way: "file";
    }
  );

/** Rounds of new vaults: about a third of a second. */
export const usualRounds = 600_000;

/** More than that is not a vault but a way to keep a machine busy. */
const mostRounds = 10_000_000;

/** Least length of a key file, in bytes. */
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
 * @param key Data key, or the one around it.
 * @param purpose Bound to it: what is sealed for one purpose opens for no other.
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
 * @param sealed What {@linkcode seal} gave.
 * @returns `undefined` when key or purpose is another, or a bit is not as it was.
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

/** Encrypts a data key. Throws `ConfigError` if what the operator holds is too short. */
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
 * Decrypts a data key.
 *
 * @param wrapped What {@linkcode wrapKey} gave.
 * @throws {ConfigError} If it is another one than then, or of another kind.
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
