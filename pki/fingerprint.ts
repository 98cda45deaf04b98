/** Fingerprints of certificates: SHA-256 over the SubjectPublicKeyInfo. */

import { ConfigError } from "../errors.ts";
import { inspectCertificate } from "./inspect.ts";

/**
 * Fingerprint in the form of `--cert-fingerprint`.
 *
 * @param certificate DER.
 * @returns 44 characters of base64, with padding.
 * @throws {ConfigError} If the certificate is malformed.
 */
export async function spkiFingerprint(
  certificate: Uint8Array,
): Promise<string> {
  return (await spkiHash(certificate)).toBase64();
}

/**
 * Fingerprint in the form of the `.sha256` file beside a new CA.
 *
 * @param certificate DER.
 * @returns `sha256:` and 64 lower-case hexadecimal digits, without a line end.
 * @throws {ConfigError} If the certificate is malformed.
 */
export async function spkiFingerprintHex(
  certificate: Uint8Array,
): Promise<string> {
  return `sha256:${(await spkiHash(certificate)).toHex()}`;
}

/**
 * Parses a fingerprint from the user, in either form. Returns the form of {@linkcode
 * spkiFingerprint}. Throws `ConfigError` for any other form.
 */
export function parseFingerprint(text: string): string {
  const hash = decodeHash(text.trim());
  if (hash?.length === 32) return hash.toBase64();
  throw new ConfigError(
    `Cannot read certificate fingerprint "${text}": expected 32 bytes in base64`,
  );
}

async function spkiHash(certificate: Uint8Array): Promise<Uint8Array> {
  const { spki } = inspectCertificate(certificate);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", spki.slice()));
}

function decodeHash(text: string): Uint8Array | undefined {
  const [, hex] = /^sha256:([0-9a-f]{64})$/i.exec(text) ?? [];
  if (hex !== undefined) return Uint8Array.fromHex(hex);
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined; // the caller reports the invalid text
  }
}
