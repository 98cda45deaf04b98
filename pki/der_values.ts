/** Values inside DER elements: numbers, object identifiers, texts, times (X.690). */

import { type Der, derTag, malformedDer, requireTag } from "./der.ts";

const maxOidBytes = 64;

/** BOOLEAN, with two valid encodings in DER. */
export function readBoolean(der: Der): boolean {
  const { content } = requireTag(der, derTag.boolean);
  if (content.length === 1 && content[0] === 0xff) return true;
  if (content.length === 1 && content[0] === 0x00) return false;
  throw malformedDer(der, "a boolean is not DER");
}

/**
 * Magnitude of a non-negative INTEGER, big endian. Returns at least one byte; no leading zero
 * unless the number is zero. Throws `ConfigError` if it is negative or not minimal.
 */
export function readUnsigned(der: Der): Uint8Array {
  const { content } = requireTag(der, derTag.integer);
  const [first, second] = content;
  if (first === undefined) throw malformedDer(der, "a number is empty");
  if (first >= 0x80) throw malformedDer(der, "a number is negative");
  if (first !== 0 || second === undefined) return content;
  if (second < 0x80) throw malformedDer(der, "a number is not DER");
  return content.subarray(1);
}

/** INTEGER between 0 and 255, such as a version. */
export function readSmallNumber(der: Der): number {
  const digits = readUnsigned(der);
  if (digits.length > 1) throw malformedDer(der, "a number is too large");
  return digits[0] ?? 0;
}

/** OBJECT IDENTIFIER in dotted form. For example `"1.3.101.112"`. */
export function readOid(der: Der): string {
  const { content } = requireTag(der, derTag.oid);
  if (content.length === 0 || content.length > maxOidBytes) {
    throw malformedDer(der, "an object identifier has a wrong length");
  }
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const [index, byte] of content.entries()) {
    if (arc === 0n && byte === 0x80) {
      throw malformedDer(der, "an object identifier is not DER");
    }
    arc = arc * 128n + BigInt(byte & 0x7f);
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0n;
    } else if (index === content.length - 1) {
      throw malformedDer(der, "an object identifier is truncated");
    }
  }
  const [first = 0n, ...rest] = arcs;
  const root = first < 80n ? first / 40n : 2n;
  return [root, first - root * 40n, ...rest].join(".");
}

/** BIT STRING of whole bytes, as in keys and signatures. */
export function readWholeBytes(der: Der): Uint8Array {
  const { content } = requireTag(der, derTag.bitString);
  if (content[0] !== 0) throw malformedDer(der, "a bit string has odd bits");
  return content.subarray(1);
}

/** BIT STRING of flags. Returns the positions of set bits, ascending; reads at most 16 bits. */
export function readFlags(der: Der): readonly number[] {
  const { content } = requireTag(der, derTag.bitString);
  const [unused, ...bytes] = content.subarray(0, 3);
  if (unused === undefined || unused > 7 || (unused > 0 && !bytes.length)) {
    throw malformedDer(der, "a bit string has a wrong length");
  }
  return bytes.flatMap((byte, index) =>
    listBits(byte).map((bit) => index * 8 + bit)
  );
}

/**
 * Text of any type allowed in names (RFC 5280, 4.1.2.4). Throws `ConfigError` if the type
 * is not text, or the bytes are invalid.
 */
export function takeText(der: Der): string {
  const charset = charsets.get(der.tag);
  if (charset === undefined) throw malformedDer(der, "a name is not text");
  try {
    const decoder = new TextDecoder(charset.name, {
      fatal: true,
      ignoreBOM: true,
    });
    const text = decoder.decode(der.content);
    if (charset.pattern.test(text)) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw malformedDer(der, "a string has characters its type does not allow");
}

/**
 * UTCTime or GeneralizedTime in the form of RFC 5280, 4.1.2.5. Throws `ConfigError` for
 * another form, or an invalid time.
 */
export function readTime(der: Der): Date {
  const text = String.fromCharCode(...der.content.subarray(0, 16));
  const digits = timePatterns.get(der.tag)?.exec(text)?.slice(1).map(Number);
  if (digits === undefined) throw malformedDer(der, "a time is not DER");
  const [written = 0, month = 0, day = 0, ...clock] = digits;
  const year = der.tag === derTag.utcTime ? fullYear(written) : written;
  const [hour = 0, minute = 0, second = 0] = clock;
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  time.setUTCHours(hour, minute, second);
  const real = time.getUTCMonth() === month - 1 && time.getUTCDate() === day &&
    hour < 24 && minute < 60 && second < 60;
  if (!real) throw malformedDer(der, `invalid time "${text}"`);
  return time;
}

const timePatterns: ReadonlyMap<number, RegExp> = new Map([
  [derTag.utcTime, /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/],
  [derTag.generalizedTime, /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/],
]);

interface Charset {
  readonly name: string;
  readonly pattern: RegExp;
}

const charsets: ReadonlyMap<number, Charset> = new Map([
  [0x0c, { name: "utf-8", pattern: /^/ }], // UTF8String
  [0x12, { name: "utf-8", pattern: /^[0-9 ]*$/ }], // NumericString
  [0x13, { name: "utf-8", pattern: /^[A-Za-z0-9 '()+,\-./:=?*&@_]*$/ }], // PrintableString, and what others put there
  [0x14, { name: "latin1", pattern: /^/ }], // TeletexString, in practice
  [0x16, { name: "utf-8", pattern: /^[\0-\x7f]*$/ }], // IA5String
  [0x1e, { name: "utf-16be", pattern: /^/ }], // BMPString
]);

/** Two-digit years mean 1950 to 2049 (RFC 5280, 4.1.2.5.1). */
function fullYear(written: number): number {
  return written < 50 ? 2000 + written : 1900 + written;
}

function listBits(byte: number): readonly number[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => byte & (0x80 >> bit));
}
