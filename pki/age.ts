/** Encryption in the format of age (age-encryption.org/v1), with keys of age and SSH. */

import { armor, Decrypter, Encrypter, type Identity } from "age-encryption";
import { UsageError } from "../errors.ts";
import { sshRecipient } from "./age_ssh.ts";

/** Encrypts a stream. */
export type Encrypt = (
  plain: ReadableStream<Uint8Array>,
) => Promise<ReadableStream<Uint8Array>>;

/**
 * Prepares encryption to recipients; each of them can read it.
 *
 * @param recipients Public keys: `age1…`, `ssh-ed25519 …` or `ssh-rsa …`, as in `authorized_keys`.
 * @throws {UsageError} If one is not such a key.
 */
export function encryptionTo(recipients: readonly string[]): Encrypt {
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(
        recipient.startsWith("ssh-") ? sshRecipient(recipient) : recipient,
      );
    } catch (cause) {
      throw new UsageError(
        `Cannot encrypt to "${recipient}": it is not a public key of age or SSH`,
        { cause, hint: "Pass age1…, ssh-ed25519 … or ssh-rsa …" },
      );
    }
  }
  return (plain) => encrypter.encrypt(plain);
}

/** Encrypts a few bytes to one recipient. Returns ASCII armor; throws what {@linkcode encryptionTo} throws. */
export async function sealFor(
  recipient: string,
  plain: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const sealed = await encryptionTo([recipient])(new Blob([plain]).stream());
  return armor.encode(await new Response(sealed).bytes());
}

/** A private key: `AGE-SECRET-KEY-…`, or one of SSH. */
export type AgeIdentity = string | Identity;

/** Checks a private key of age. Throws Error if it is none. */
export function parseIdentity(text: string): AgeIdentity {
  new Decrypter().addIdentity(text);
  return text;
}

/**
 * Decrypts what {@linkcode sealFor} has encrypted.
 *
 * @param sealed ASCII armor.
 * @returns `undefined` if none of the keys opens it.
 */
export async function openSealed(
  sealed: string,
  identities: readonly AgeIdentity[],
): Promise<Uint8Array | undefined> {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  try {
    return await decrypter.decrypt(armor.decode(sealed));
  } catch {
    // The library has one class for all errors.
    return undefined;
  }
}
