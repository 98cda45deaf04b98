/** CA certificates as comparable text. */

import { createHash } from "node:crypto";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePemAs, encodePem, pemLabel } from "../../pki/pem.ts";

/** A CA certificate. */
export interface CaCertificate {
  /** SHA-256 of its DER, 64 hexadecimal digits. */
  readonly fingerprint: string;
  readonly pem: string;
}

/** Reads the first certificate of a text. `pem`: PEM. */
export function certificateIn(pem: string | Uint8Array): CaCertificate {
  const [der] = decodePemAs(pemLabel.certificate, pem);
  inspectCertificate(der);
  return {
    fingerprint: createHash("sha256").update(der).digest("hex"),
    pem: encodePem(pemLabel.certificate, der),
  };
}

/** Leading digits of a fingerprint, for display. */
export function short(fingerprint: string): string {
  return fingerprint.slice(0, 12);
}
