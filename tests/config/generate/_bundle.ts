/** Secrets that tests start from. */

import { defaultContract } from "../../../config/generate/contract.ts";
import {
  generateSecrets,
  type SecretsBundle,
} from "../../../config/generate/secrets.ts";
import { generateKey } from "../../../pki/key.ts";
import type { PrivateKey } from "../../../pki/private_key.ts";
import type { KeyAlgorithm } from "../../../pki/public_key.ts";

/** Start of the validity of the certificates of {@linkcode someSecrets}. */
export const madeAt = new Date("2030-06-01T12:00:00Z");

/** Keys of the right kind, small where small ones are quicker. */
export function quickKey(algorithm: KeyAlgorithm): Promise<PrivateKey> {
  return generateKey(algorithm, { rsaBits: 2048 });
}

/** Secrets of one cluster, the same for all tests of a file. */
export const someSecrets: SecretsBundle = await generateSecrets({
  contract: defaultContract,
  now: madeAt,
  makeKey: quickKey,
});

/** The file that documents hold in base64. */
export function decodeText(base64: string): string {
  return new TextDecoder().decode(Uint8Array.fromBase64(base64));
}
