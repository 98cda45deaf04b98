/** CAs and configurations that name them, for tests. */

import { createCa } from "../pki/ca.ts";
import { encodePem, pemLabel } from "../pki/pem.ts";
import { encodePrivateKey } from "../pki/private_key.ts";
import type { KeyAlgorithm } from "../pki/public_key.ts";
import {
  type CaCertificate,
  certificateIn,
} from "../workflows/ca/certificate_text.ts";

/** A CA. */
export interface TestCa extends CaCertificate {
  readonly key: string;
}

/**
 * Makes a CA.
 *
 * @param notAfter End of its validity.
 * @param algorithm Kind of its key.
 */
export async function testCa(
  notAfter: Date = new Date("2040-01-01T00:00:00Z"),
  algorithm: KeyAlgorithm = "Ed25519",
): Promise<TestCa> {
  const { certificate, key } = await createCa({
    organizations: ["test"],
    algorithm,
    notBefore: new Date("2020-01-01T00:00:00Z"),
    notAfter,
  });
  const pem = encodePem(pemLabel.certificate, certificate);
  return { ...certificateIn(pem), key: encodePrivateKey(key) };
}

/** Base64 of a text. */
export function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
