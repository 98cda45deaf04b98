/** Signed updates of firmware variables (UEFI specification, `SetVariable`). */

import { joinBytes } from "./der_encode.ts";
import { encodeGuid } from "./efi_guid.ts";
import { type RsaSigner, signDetached } from "./signed_data.ts";

/** Variables that say whom firmware trusts, and the vendor GUID of each. */
export const efiVariables = {
  /** Certificate of who owns the machine: may change `KEK`. */
  PK: "8be4df61-93ca-11d2-aa0d-00e098032b8c",
  /** Certificates that may change `db`. */
  KEK: "8be4df61-93ca-11d2-aa0d-00e098032b8c",
  /** Certificates whose signatures are accepted on what is started. */
  db: "d719b2cb-3d3a-4596-a3bc-dad00e67656f",
} as const;

/** Name of one of {@linkcode efiVariables}. */
export type EfiVariable = keyof typeof efiVariables;

/** What is written into a variable. */
export interface VariableUpdate {
  /** Which variable. */
  readonly name: EfiVariable;
  /** Its new value. */
  readonly value: Uint8Array;
  /** When, cut to the second; firmware takes it only when it is later than the last. */
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
  return joinBytes([
    encodeEfiTime(update.time),
    new Uint8Array(header.buffer),
    encodeGuid(pkcs7Type),
    signature,
    update.value,
  ]);
}

/**
 * What the signature of an update covers. Returns name, vendor GUID, attributes, time and value,
 * without anything between them.
 */
export function signedBytes(
  { name, value, time }: VariableUpdate,
): Uint8Array<ArrayBuffer> {
  const attributes = new DataView(new ArrayBuffer(4));
  attributes.setUint32(0, updateAttributes, true);
  return joinBytes([
    utf16(name),
    encodeGuid(efiVariables[name]),
    new Uint8Array(attributes.buffer),
    encodeEfiTime(time),
    value,
  ]);
}

/** `EFI_CERT_TYPE_PKCS7_GUID` */
const pkcs7Type = "4aafd29d-68df-49ee-8aa9-347d375665a7";

/** Kept without power; readable before and after the system has started; written with a signature and a time. */
const updateAttributes = 0x01 | 0x02 | 0x04 | 0x20;

/** `EFI_TIME` in UTC; firmware demands that what follows the seconds is zero. */
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

/** Without the zero that ends texts elsewhere in firmware. */
function utf16(text: string): Uint8Array {
  return Uint8Array.from(
    [...text].flatMap((letter) => [letter.charCodeAt(0), 0]),
  );
}
