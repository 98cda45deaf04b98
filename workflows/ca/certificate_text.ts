/** Certificates of CAs, as texts that can be compared. */

import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePemAs, encodePem, pemLabel } from "../../pki/pem.ts";

/** A certificate of a CA. */
export interface CaCertificate {
  /** SHA-256 of its DER, 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** PEM. */
  readonly pem: string;
}

/** Reads the first certificate of a text. `pem`: PEM. */
export async function certificateIn(
  pem: string | Uint8Array,
): Promise<CaCertificate> {
  const [der] = decodePemAs(pemLabel.certificate, pem);
  inspectCertificate(der);
  const hash = await crypto.subtle.digest("SHA-256", der);
  return {
    fingerprint: new Uint8Array(hash).toHex(),
    pem: encodePem(pemLabel.certificate, der),
  };
}

/** The first digits of a fingerprint, which are enough for people. */
export function short(fingerprint: string): string {
  return fingerprint.slice(0, 12);
}
