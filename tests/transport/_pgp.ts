/** PGP keys for tests, and a proxy that checks signatures. */

import {
  createMessage,
  generateKey,
  readKey,
  readSignature,
  verify,
} from "openpgp";

/** Keys are made at this moment. */
export const made = new Date("2026-01-01T00:00:00Z");

/** An armored key pair of a person, as the services behind proxies make them. */
export async function pgpKey(
  options: { readonly hours?: number; readonly passphrase?: string } = {},
) {
  const { hours = 4, passphrase } = options;
  return await generateKey({
    type: "ecc",
    curve: "ed25519Legacy",
    userIDs: [{ name: "client", comment: "linux/amd64", email: "me@here.org" }],
    date: made,
    keyExpirationTime: hours * 3600,
    ...passphrase === undefined ? {} : { passphrase },
  });
}

const covered = [
  "x-sidero-timestamp",
  "nodes",
  "selectors",
  "fieldSelectors",
  "runtime",
  "context",
  "cluster",
  "namespace",
  "uid",
  "authorization",
];

/** A request as a proxy gets it. */
export interface SignedRequest {
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Checks a signed request as a proxy does: version 1 of the protocol, written from its facts.
 *
 * @param request What came.
 * @param keys Armored public keys by identity and fingerprint, joined by a space.
 * @param now The proxy's clock.
 * @returns The identity that signed.
 * @throws {Error} If anything is wrong.
 */
export async function checkRequest(
  { path, metadata }: SignedRequest,
  keys: Readonly<Record<string, string>>,
  now: Date,
): Promise<string> {
  const seconds = Number(metadata["x-sidero-timestamp"]);
  if (!(Math.abs(now.getTime() / 1000 - seconds) <= 300)) {
    throw new Error("timestamp is outside of the allowed skew");
  }
  const text = metadata["x-sidero-payload"] ?? "";
  const payload = JSON.parse(text);
  if (payload.method !== path) throw new Error("method does not match");
  for (const key of covered) {
    // Metadata keys arrive in lower case; a missing one is not a list.
    const value = metadata[key];
    const sent = value === undefined ? null : [value];
    const signed = payload.headers?.[key] ?? null;
    if (JSON.stringify(signed) !== JSON.stringify(sent)) {
      throw new Error(`header ${key} does not match`);
    }
  }
  const [version, identity, fingerprint, base64, ...rest] =
    (metadata["x-sidero-signature"] ?? "").split(" ");
  if (version !== "siderov1" || rest.length > 0) throw new Error("version");
  const armored = keys[`${identity} ${fingerprint}`];
  if (armored === undefined) throw new Error("key is not registered");
  const { signatures } = await verify({
    message: await createMessage({ binary: new TextEncoder().encode(text) }),
    signature: await readSignature({
      binarySignature: Uint8Array.fromBase64(base64 ?? ""),
    }),
    verificationKeys: await readKey({ armoredKey: armored }),
    date: now,
  });
  await signatures[0]?.verified;
  return identity ?? "";
}
