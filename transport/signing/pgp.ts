/** Private PGP keys; the only file that loads OpenPGP.js. */

import {
  createMessage,
  type Key,
  type PrivateKey,
  readKey,
  sign,
} from "openpgp";
import { ConfigError } from "../../errors.ts";

/** A private key without a passphrase that was not revoked. */
export interface PgpKey {
  readonly fingerprint: string;
  /** Expiry; `undefined` for never. */
  readonly expires: Date | undefined;
  /** Signs a text. `text`: signed as its UTF-8 bytes. Returns a detached binary signature (RFC 9580). */
  readonly sign: (text: string, now: Date) => Promise<Uint8Array>;
}

/**
 * Reads a private key.
 *
 * @param armored Key in ASCII armor.
 * @throws {ConfigError} If it is not a private key, or cannot sign.
 */
export async function readPgpKey(
  armored: string,
  source: string,
): Promise<PgpKey> {
  const key = await parse(armored, source);
  if (!key.isPrivate()) {
    throw unusable(source, "it has only a public key");
  }
  if (!key.isDecrypted()) throw unusable(source, "it has a passphrase");
  if (await key.isRevoked()) throw unusable(source, "it has been revoked");
  return {
    fingerprint: key.getFingerprint(),
    expires: await readEnd(key),
    sign: (text, now) => detachedSignature(key, text, now),
  };
}

async function parse(armored: string, source: string): Promise<Key> {
  try {
    return await readKey({ armoredKey: armored });
  } catch (cause) {
    throw unusable(source, "it is not a PGP key in ASCII armor", cause);
  }
}

async function readEnd(key: Key): Promise<Date | undefined> {
  const end = await key.getExpirationTime();
  // `Infinity` for never.
  return end instanceof Date ? end : undefined;
}

async function detachedSignature(
  key: PrivateKey,
  text: string,
  now: Date,
): Promise<Uint8Array> {
  const made = key.getCreationTime();
  return await sign({
    message: await createMessage({ binary: new TextEncoder().encode(text) }),
    signingKeys: key,
    detached: true,
    format: "binary",
    // The key may come from a machine with a clock that is ahead.
    date: made > now ? made : now,
    // Not every verifier supports the salt notation.
    config: { nonDeterministicSignaturesViaNotation: false },
  });
}

function unusable(source: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError(`Cannot sign requests with "${source}": ${why}`, {
    hint: "Use a private key without a passphrase, in ASCII armor",
    cause,
  });
}
