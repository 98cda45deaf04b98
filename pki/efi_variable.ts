/** UEFI Secure Boot variables with certificates. */

import { concatBytes } from "../lib/bytes.ts";
import { type RsaSigner, signDetached } from "./signed_data.ts";

/** Secure Boot variables and their vendor GUIDs. */
const efiVariables = {
  /** Certificate of the machine's owner: may change `KEK`. */
  PK: "8be4df61-93ca-11d2-aa0d-00e098032b8c",
  /** Certificates that may change `db`. */
  KEK: "8be4df61-93ca-11d2-aa0d-00e098032b8c",
  /** Certificates for signed boot components. */
  db: "d719b2cb-3d3a-4596-a3bc-dad00e67656f",
} as const;

/** Name of one of {@linkcode efiVariables}. */
export type EfiVariable = keyof typeof efiVariables;

interface VariableUpdate {
  readonly name: EfiVariable;
  readonly value: Uint8Array;
  /** Timestamp, truncated to the second; firmware accepts only a later one than before. */
  readonly time: Date;
}

/** Signs an update. Returns `EFI_VARIABLE_AUTHENTICATION_2` and the value: the content of an `.auth` file. */
export async function signUpdate(
  update: VariableUpdate,
  signer: RsaSigner,
): Promise<Uint8Array<ArrayBuffer>> {
  const signature = await signDetached(
    signedBytes(update),
    signer,
    update.time,
  );
  const header = new DataView(new ArrayBuffer(8));
  header.setUint32(0, 8 + 16 + signature.length, true);
  header.setUint16(4, 0x0200, true); // WIN_CERTIFICATE, revision 2.0
  header.setUint16(6, 0x0ef1, true); // WIN_CERT_TYPE_EFI_GUID
  return concatBytes([
    encodeEfiTime(update.time),
    new Uint8Array(header.buffer),
    encodeGuid(pkcs7Type),
    signature,
    update.value,
  ]);
}

/** Signed bytes of an update: name, vendor GUID, attributes, time and value, without separators. */
export function signedBytes(
  { name, value, time }: VariableUpdate,
): Uint8Array<ArrayBuffer> {
  const attributes = new DataView(new ArrayBuffer(4));
  attributes.setUint32(0, updateAttributes, true);
  return concatBytes([
    utf16(name),
    encodeGuid(efiVariables[name]),
    new Uint8Array(attributes.buffer),
    encodeEfiTime(time),
    value,
  ]);
}

/** `EFI_CERT_TYPE_PKCS7_GUID` */
const pkcs7Type = "4aafd29d-68df-49ee-8aa9-347d375665a7";

/** Non-volatile; readable by boot services and at run time; written with a time-based signature. */
const updateAttributes = 0x01 | 0x02 | 0x04 | 0x20;

/** `EFI_TIME` in UTC; firmware requires zeros after the seconds. */
function encodeEfiTime(time: Date): Uint8Array {
  const view = new DataView(new ArrayBuffer(16));
  view.setUint16(0, time.getUTCFullYear(), true);
  view.setUint8(2, time.getUTCMonth() + 1);
  view.setUint8(3, time.getUTCDate());
  view.setUint8(4, time.getUTCHours());
  view.setUint8(5, time.getUTCMinutes());
  view.setUint8(6, time.getUTCSeconds());
  return new Uint8Array(view.buffer);
}

/** Without the terminating zero of other firmware texts. */
function utf16(text: string): Uint8Array {
  return Uint8Array.from(
    [...text].flatMap((letter) => [letter.charCodeAt(0), 0]),
  );
}

/**
 * Encodes a GUID: the first three groups little endian, the others big endian.
 *
 * @param guid For example `8be4df61-93ca-11d2-aa0d-00e098032b8c`.
 * @returns 16 bytes.
 */
function encodeGuid(guid: string): Uint8Array<ArrayBuffer> {
  const groups = guid.split("-").map((group) => Uint8Array.fromHex(group));
  return concatBytes(
    groups.map((bytes, index) => index < 3 ? bytes.toReversed() : bytes),
  );
}

/** Namespace of names derived from X.500 objects (RFC 4122, appendix C). */
const x500 = "6ba7b814-9dad-11d1-80b4-00c04fd430c8";

/**
 * Derives the owner GUID of a certificate.
 *
 * @param file The whole PEM file, byte for byte.
 * @returns Text form; the same file gives the same GUID.
 */
export async function ownerGuid(file: Uint8Array): Promise<string> {
  const namespace = Uint8Array.fromHex(x500.replaceAll("-", ""));
  const named = concatBytes([namespace, file]);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", named));
  const bytes = hash.subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const groups = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(bytes.toHex());
  return groups?.slice(1).join("-") ?? "";
}

/** A certificate in a list. */
export interface EnrolledCertificate {
  /** GUID of the owner, text form. */
  readonly owner: string;
  readonly certificate: Uint8Array;
}

/**
 * Encodes certificates as signature lists; those of equal size share a list, as firmware requires.
 *
 * @param certificates In order; a list takes the place of its first certificate.
 * @returns Concatenated `EFI_SIGNATURE_LIST`s.
 */
export function encodeSignatureLists(
  certificates: readonly EnrolledCertificate[],
): Uint8Array<ArrayBuffer> {
  const bySize = Map.groupBy(
    certificates,
    ({ certificate }) => certificate.length,
  );
  return concatBytes([...bySize.values()].map(encodeList));
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
  // There is no type-specific header between this one and the certificates.
  sizes.setUint32(4, 0, true);
  sizes.setUint32(8, size, true);
  return concatBytes([
    encodeGuid(x509Type),
    new Uint8Array(sizes.buffer),
    ...certificates.flatMap(({ owner, certificate }) => [
      encodeGuid(owner),
      certificate,
    ]),
  ]);
}
