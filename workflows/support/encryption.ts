/** Encryption of bundles in the format of age (age-encryption.org/v1), for age and SSH keys. */

import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { Encrypter, type Recipient, Stanza } from "age-encryption";
import { createCipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { UsageError } from "../../errors.ts";

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

/** A public key of SSH (RFC 4253, 6.6) as a recipient. Throws Error if it is not one. */
function sshRecipient(line: string): Recipient {
  const [kind = "", encoded = ""] = line.split(" ");
  const wire = Uint8Array.fromBase64(encoded);
  const [name = new Uint8Array(), ...fields] = readFields(wire);
  const [first, second] = fields;
  const isKind = new TextDecoder().decode(name) === kind;
  if (isKind && kind === "ssh-ed25519" && first?.length === 32) {
    return { wrapFileKey: (key) => [wrapForEd25519(key, wire, first)] };
  }
  if (isKind && kind === "ssh-rsa" && first && second) {
    const wrap = async (key: Uint8Array) =>
      await wrapForRsa(key, wire, await importRsa(second, first));
    return { wrapFileKey: async (key) => [await wrap(key)] };
  }
  throw new Error("unknown kind of key");
}

function readFields(wire: Uint8Array): readonly Uint8Array[] {
  const fields: Uint8Array[] = [];
  const view = new DataView(wire.buffer, wire.byteOffset, wire.byteLength);
  for (let at = 0; at < wire.length;) {
    const size = view.getUint32(at);
    if (at + 4 + size > wire.length) throw new RangeError("truncated");
    fields.push(wire.subarray(at + 4, at + 4 + size));
    at += 4 + size;
  }
  return fields;
}

const label = "age-encryption.org/v1/";

/** Wraps a file key for a key on edwards25519, by the form it has on curve25519. */
function wrapForEd25519(
  fileKey: Uint8Array,
  wire: Uint8Array,
  edwards: Uint8Array,
): Stanza {
  const kind = "ssh-ed25519";
  const info = `${label}${kind}`;
  const own = randomBytes(32);
  const share = x25519.getPublicKey(own);
  const peer = ed25519.utils.toMontgomery(edwards);
  const tweak = hkdf(new Uint8Array(), wire, info);
  const shared = x25519.getSharedSecret(own, peer);
  const secret = x25519.getSharedSecret(tweak, shared);
  const key = hkdf(secret, Uint8Array.of(...share, ...peer), info);
  const options = { authTagLength: 16 };
  const nonce = new Uint8Array(12);
  const cipher = createCipheriv("chacha20-poly1305", key, nonce, options);
  const body = Uint8Array.of(
    ...cipher.update(fileKey),
    ...cipher.final(),
    ...cipher.getAuthTag(),
  );
  return new Stanza([kind, keyTag(wire), base64(share)], body);
}

async function wrapForRsa(
  fileKey: Uint8Array,
  wire: Uint8Array,
  rsa: CryptoKey,
): Promise<Stanza> {
  const kind = "ssh-rsa";
  const name = { name: "RSA-OAEP", label: encodeText(`${label}${kind}`) };
  const body = await crypto.subtle.encrypt(name, rsa, fileKey.slice());
  return new Stanza([kind, keyTag(wire)], new Uint8Array(body));
}

function importRsa(n: Uint8Array, e: Uint8Array): Promise<CryptoKey> {
  const number = (bytes: Uint8Array) =>
    bytes.subarray(bytes[0] === 0 ? 1 : 0).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    });
  const key = { kty: "RSA", n: number(n), e: number(e) };
  const algorithm = { name: "RSA-OAEP", hash: "SHA-256" };
  return crypto.subtle.importKey("jwk", key, algorithm, false, ["encrypt"]);
}

function hkdf(key: Uint8Array, salt: Uint8Array, info: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, salt, info, 32));
}

function keyTag(wire: Uint8Array): string {
  return base64(createHash("sha256").update(wire).digest().subarray(0, 4));
}

function base64(bytes: Uint8Array): string {
  return new Uint8Array(bytes).toBase64({ omitPadding: true });
}

function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
