/** Encoder for the DER elements of keys and names (X.690). */

import { concatBytes } from "../lib/bytes.ts";
import { derTag } from "./der.ts";

/**
 * Encodes one element.
 *
 * @param tag See {@linkcode derTag}.
 * @param contents Concatenated in order.
 */
export function encodeDer(
  tag: number,
  ...contents: readonly Uint8Array[]
): Uint8Array<ArrayBuffer> {
  const length = contents.reduce((sum, content) => sum + content.length, 0);
  return concatBytes([Uint8Array.of(tag, ...lengthBytes(length)), ...contents]);
}

/** Encodes a SEQUENCE of encoded parts. */
export function encodeSequence(
  ...parts: readonly Uint8Array[]
): Uint8Array<ArrayBuffer> {
  return encodeDer(derTag.sequence, ...parts);
}

/** Encodes a SET of encoded parts, in DER order. */
export function encodeSet(
  parts: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  return encodeDer(derTag.set, ...parts.toSorted(compareBytes));
}

/** Encodes an INTEGER between 0 and 127, such as a version. */
export function encodeSmallNumber(value: number): Uint8Array<ArrayBuffer> {
  return encodeDer(derTag.integer, Uint8Array.of(value));
}

/** Encodes a non-negative INTEGER from at least one byte, big endian. */
export function encodeUnsigned(
  magnitude: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const start = magnitude.findIndex((byte) => byte !== 0);
  const digits = magnitude.subarray(start < 0 ? -1 : start);
  // The highest bit would make the number negative.
  const sign = (digits[0] ?? 0) >= 0x80 ? [0] : [];
  return encodeDer(derTag.integer, Uint8Array.from(sign), digits);
}

/**
 * Encodes a time as in certificates and signatures (RFC 5280, 4.1.2.5).
 *
 * @param time Truncated to the second; in the years 1950 to 9999.
 * @returns UTCTime up to the year 2049, then GeneralizedTime.
 */
export function encodeTime(time: Date): Uint8Array<ArrayBuffer> {
  const digits = time.toISOString().slice(0, 19).replace(/[-:T]/g, "");
  const [tag, text] = digits < "2050"
    ? [derTag.utcTime, digits.slice(2)]
    : [derTag.generalizedTime, digits];
  return encodeDer(tag, new TextEncoder().encode(`${text}Z`));
}

/** Encodes an OBJECT IDENTIFIER in dotted form, every number below 2^31. */
export function encodeOid(oid: string): Uint8Array<ArrayBuffer> {
  const [root = 0, second = 0, ...rest] = oid.split(".").map(Number);
  const bytes = [root * 40 + second, ...rest].flatMap(base128);
  return encodeDer(derTag.oid, Uint8Array.from(bytes));
}

/** Encodes a BIT STRING of whole bytes. */
export function encodeBits(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return encodeDer(derTag.bitString, Uint8Array.of(0), bytes);
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const digits: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) digits.unshift(rest & 0xff);
  return [0x80 | digits.length, ...digits];
}

function base128(value: number): readonly number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) {
    digits.unshift(0x80 | (rest & 0x7f));
  }
  return digits;
}

/** Elements include their length, so none is a prefix of another. */
function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const index = one.findIndex((byte, at) => byte !== other[at]);
  return (one[index] ?? 0) - (other[index] ?? 0);
}
