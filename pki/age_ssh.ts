/** SSH keys as recipients and identities of age. */

import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { type Identity, type Recipient, Stanza } from "age-encryption";
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  hkdfSync,
  randomBytes,
} from "node:crypto";

const label = "age-encryption.org/v1/";

/** A public key of SSH (RFC 4253, 6.6) as a recipient. Throws Error if it is not one. */
export function sshRecipient(line: string): Recipient {
  const [kind = "", encoded = ""] = line.split(" ");
  const wire = Uint8Array.fromBase64(encoded);
  const [name, first, second] = readFields(wire);
  const isKind = decodeText(name) === kind;
  if (isKind && kind === "ssh-ed25519" && first?.length === 32) {
    return { wrapFileKey: (key) => [wrapForEd25519(key, wire, first)] };
  }
  if (isKind && kind === "ssh-rsa" && first && second) {
    const jwk = { kty: "RSA", n: toNumber(second), e: toNumber(first) };
    return { wrapFileKey: async (key) => [await wrapForRsa(key, wire, jwk)] };
  }
  throw new Error("unknown kind of key");
}

/**
 * A private key of SSH (`id_ed25519`, `id_rsa`), in the format of OpenSSH or PEM, as an identity.
 *
 * @throws {Error} If it has a passphrase, or is neither Ed25519 nor RSA.
 */
export function sshIdentity(text: string): Identity {
  const [, body] =
    /^-----BEGIN OPENSSH PRIVATE KEY-----([^]*?)-----END/m.exec(text) ?? [];
  const jwk = body === undefined
    ? createPrivateKey(text).export({ format: "jwk" }) as JsonWebKey
    : readOpenSsh(Uint8Array.fromBase64(body));
  const isRsa = jwk.kty === "RSA";
  if (!isRsa && jwk.crv !== "Ed25519") {
    throw new Error("it is neither Ed25519 nor RSA");
  }
  const kind = isRsa ? "ssh-rsa" : "ssh-ed25519";
  const numbers = isRsa
    ? [jwk.e, jwk.n].map((one) => toPositive(one))
    : [fromNumber(jwk.x)];
  const wire = writeFields([encodeText(kind), ...numbers]);
  return {
    async unwrapFileKey(stanzas) {
      const own = stanzas.find(({ args: [type, tag] }) =>
        type === kind && tag === keyTag(wire)
      );
      if (own === undefined) return null;
      return isRsa
        ? await unwrapForRsa(own, jwk)
        : unwrapForEd25519(own, wire, jwk);
    },
  };
}

/** The private key in the format of OpenSSH (PROTOCOL.key), as JWK. */
function readOpenSsh(bytes: Uint8Array): JsonWebKey {
  const start = bytes.subarray("openssh-key-v1\0".length);
  const [cipher, kdf, options] = readFields(start);
  if (decodeText(cipher) !== "none") throw new Error("it has a passphrase");
  const taken = [cipher, kdf, options].reduce(
    (sum, field) => sum + 4 + (field?.length ?? 0),
    0,
  );
  // After the number of keys; the private key begins with two equal numbers of four bytes.
  const [, secret = new Uint8Array()] = readFields(start.subarray(taken + 4));
  const [kind, ...fields] = readFields(secret.subarray(8));
  if (decodeText(kind) === "ssh-ed25519") {
    // The private key is the seed, followed by the public key.
    const [x, d] = [fields[0], fields[1]?.subarray(0, 32)].map((one) =>
      base64url(one)
    );
    return { kty: "OKP", crv: "Ed25519", x, d } as JsonWebKey;
  }
  if (decodeText(kind) !== "ssh-rsa") {
    throw new Error("it is neither Ed25519 nor RSA");
  }
  const [n, e, d, qi, p, q] = fields.map((one) => toNumber(one));
  const [dp, dq] = [p, q].map((prime) => remainder(d, prime));
  return { kty: "RSA", n, e, d, p, q, dp, dq, qi } as JsonWebKey;
}

function remainder(value: string | undefined, prime: string | undefined) {
  const [number, divisor] = [value, prime].map((one) =>
    BigInt(`0x${fromNumber(one).toHex()}`)
  );
  const hex = (number! % (divisor! - 1n)).toString(16);
  return base64url(Uint8Array.fromHex(hex.length % 2 === 1 ? `0${hex}` : hex));
}

/** Wraps a file key for a key on edwards25519, by the form it has on curve25519. */
function wrapForEd25519(
  fileKey: Uint8Array,
  wire: Uint8Array,
  edwards: Uint8Array,
): Stanza {
  const own = randomBytes(32);
  const share = x25519.getPublicKey(own);
  const peer = ed25519.utils.toMontgomery(edwards);
  const key = wrappingKey(wire, x25519.getSharedSecret(own, peer), share, peer);
  const cipher = createCipheriv("chacha20-poly1305", key, nonce, tagged);
  const body = Uint8Array.of(
    ...cipher.update(fileKey),
    ...cipher.final(),
    ...cipher.getAuthTag(),
  );
  return new Stanza(["ssh-ed25519", keyTag(wire), base64(share)], body);
}

function unwrapForEd25519(
  { args: [, , encoded = ""], body }: Stanza,
  wire: Uint8Array,
  { x, d }: JsonWebKey,
): Uint8Array {
  const share = Uint8Array.fromBase64(encoded);
  const own = ed25519.utils.toMontgomerySecret(fromNumber(d));
  const peer = ed25519.utils.toMontgomery(fromNumber(x));
  const shared = x25519.getSharedSecret(own, share);
  const key = wrappingKey(wire, shared, share, peer);
  const cipher = createDecipheriv("chacha20-poly1305", key, nonce, tagged);
  cipher.setAuthTag(body.subarray(-16));
  const plain = cipher.update(body.subarray(0, -16));
  return Uint8Array.of(...plain, ...cipher.final());
}

const tagged = { authTagLength: 16 };
const nonce = new Uint8Array(12);

function wrappingKey(
  wire: Uint8Array,
  shared: Uint8Array,
  share: Uint8Array,
  peer: Uint8Array,
): Uint8Array {
  const info = `${label}ssh-ed25519`;
  const tweak = hkdf(new Uint8Array(), wire, info);
  const secret = x25519.getSharedSecret(tweak, shared);
  return hkdf(secret, Uint8Array.of(...share, ...peer), info);
}

async function wrapForRsa(
  fileKey: Uint8Array,
  wire: Uint8Array,
  jwk: JsonWebKey,
): Promise<Stanza> {
  const rsa = await importRsa(jwk, "encrypt");
  const body = await crypto.subtle.encrypt(padding, rsa, fileKey.slice());
  return new Stanza(["ssh-rsa", keyTag(wire)], new Uint8Array(body));
}

async function unwrapForRsa(
  { body }: Stanza,
  jwk: JsonWebKey,
): Promise<Uint8Array> {
  const rsa = await importRsa(jwk, "decrypt");
  return new Uint8Array(
    await crypto.subtle.decrypt(padding, rsa, body.slice()),
  );
}

const padding = { name: "RSA-OAEP", label: encodeText(`${label}ssh-rsa`) };

function importRsa(jwk: JsonWebKey, use: "encrypt" | "decrypt") {
  const algorithm = { name: "RSA-OAEP", hash: "SHA-256" };
  return crypto.subtle.importKey("jwk", jwk, algorithm, false, [use]);
}

/** Reads fields with their lengths, until the rest is no field: private keys end with padding. */
function readFields(wire: Uint8Array): readonly Uint8Array[] {
  const fields: Uint8Array[] = [];
  const view = new DataView(wire.buffer, wire.byteOffset, wire.byteLength);
  for (let at = 0; at + 4 <= wire.length;) {
    const size = view.getUint32(at);
    if (at + 4 + size > wire.length) break;
    fields.push(wire.subarray(at + 4, at + 4 + size));
    at += 4 + size;
  }
  return fields;
}

function writeFields(fields: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap((field) => {
      const size = new Uint8Array(4);
      new DataView(size.buffer).setUint32(0, field.length);
      return [...size, ...field];
    }),
  );
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

function base64url(bytes: Uint8Array = new Uint8Array()): string {
  return new Uint8Array(bytes)
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/** A number of SSH as one of JWK: without the zero that keeps it positive. */
function toNumber(bytes: Uint8Array = new Uint8Array()): string {
  return base64url(bytes.subarray(bytes[0] === 0 ? 1 : 0));
}

function fromNumber(text = ""): Uint8Array {
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}

function toPositive(text: string | undefined): Uint8Array {
  const bytes = fromNumber(text);
  return bytes[0]! < 128 ? bytes : Uint8Array.of(0, ...bytes);
}

function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function decodeText(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}
