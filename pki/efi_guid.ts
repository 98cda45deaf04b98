/** GUIDs the way firmware stores them (UEFI specification, appendix A). */

import { joinBytes } from "./der_encode.ts";

/**
 * Encodes a GUID: the first three groups little endian, the others as they are read.
 *
 * @param guid For example `8be4df61-93ca-11d2-aa0d-00e098032b8c`.
 * @returns 16 bytes.
 */
export function encodeGuid(guid: string): Uint8Array<ArrayBuffer> {
  const groups = guid.split("-").map((group) => Uint8Array.fromHex(group));
  return joinBytes(
    groups.map((bytes, index) => index < 3 ? bytes.toReversed() : bytes),
  );
}

/** Namespace of names that are derived from X.500 objects (RFC 4122, appendix C). */
const x500 = "6ba7b814-9dad-11d1-80b4-00c04fd430c8";

/**
 * Derives the GUID under which somebody's certificate is enrolled.
 *
 * @param file The whole PEM file, byte for byte.
 * @returns Text form; the same file gives the same GUID.
 */
export async function ownerGuid(file: Uint8Array): Promise<string> {
  const namespace = Uint8Array.fromHex(x500.replaceAll("-", ""));
  const named = joinBytes([namespace, file]);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", named));
  const bytes = hash.subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const groups = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(bytes.toHex());
  return groups?.slice(1).join("-") ?? "";
}
