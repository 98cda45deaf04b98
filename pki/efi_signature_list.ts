/** Lists of certificates that firmware trusts (UEFI specification, signature database). */

import { joinBytes } from "./der_encode.ts";
import { encodeGuid } from "./efi_guid.ts";

/** A certificate in a list. */
export interface EnrolledCertificate {
  /** GUID of who put it there, text form. */
  readonly owner: string;
  /** DER. */
  readonly certificate: Uint8Array;
}

/**
 * Encodes certificates as signature lists; those of one size share a list, as firmware demands.
 *
 * @param certificates In the order they are to have; a list stands where its first certificate would.
 * @returns `EFI_SIGNATURE_LIST`s, one after the other.
 */
export function encodeSignatureLists(
  certificates: readonly EnrolledCertificate[],
): Uint8Array<ArrayBuffer> {
  const bySize = Map.groupBy(
    certificates,
    ({ certificate }) => certificate.length,
  );
  return joinBytes([...bySize.values()].map(encodeList));
}

/** `EFI_CERT_X509_GUID` */
const x509Type = "a5c059a1-94e4-4aa7-87b5-ab155c2bf072";

const guidBytes = 16;
const headerBytes = guidBytes + 3 * 4;

function encodeList(
  certificates: readonly EnrolledCertificate[],
): Uint8Array {
  const [first] = certificates;
  const size = guidBytes + (first?.certificate.length ?? 0);
  const sizes = new DataView(new ArrayBuffer(3 * 4));
  sizes.setUint32(0, headerBytes + certificates.length * size, true);
  // No header of the type's own stands between this one and the certificates.
  sizes.setUint32(4, 0, true);
  sizes.setUint32(8, size, true);
  return joinBytes([
    encodeGuid(x509Type),
    new Uint8Array(sizes.buffer),
    ...certificates.flatMap(({ owner, certificate }) => [
      encodeGuid(owner),
      certificate,
    ]),
  ]);
}
