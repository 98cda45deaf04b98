/**
 * Strict, bounded reader for DER (X.690), the encoding of certificates and keys.
 *
 * Parsing is lazy: the content of an element is split only on access, so no input
 * costs more than a few passes over its bytes.
 */

import { ConfigError } from "../errors.ts";

/** Tags in certificates and keys (X.690, RFC 5280). */
export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One element: tag, length and content. */
export interface Der {
  /** First byte: class, constructed bit and tag number; see {@linkcode derTag}. */
  readonly tag: number;
  /** Bytes after the length. */
  readonly content: Uint8Array;
  /** The whole element, including tag and length. */
  readonly encoded: Uint8Array;
  readonly depth: number;
  /** Kind of input, for messages: `"certificate"`. */
  readonly what: string;
}

/** Largest accepted input; a certificate has 300 bytes to 10 kB. */
export const maxDerBytes = 1 << 18;

const maxDepth = 16;
const maxElements = 4096;

/**
 * Parses bytes with exactly one element.
 *
 * @param bytes DER, at most {@linkcode maxDerBytes}.
 * @param what Kind of input, for messages: `"certificate"`.
 * @throws {ConfigError} If they are too long, truncated, not DER, or have trailing data.
 */
export function readDer(bytes: Uint8Array, what: string): Der {
  if (bytes.length > maxDerBytes) {
    throw new ConfigError(
      `Cannot read ${what}: ${bytes.length} bytes are more than ${maxDerBytes}`,
    );
  }
  const der = readElement(bytes, 0, what, 0);
  if (der.encoded.length !== bytes.length) {
    throw malformedDer(der, "it has trailing bytes");
  }
  return der;
}

/**
 * Splits the content of a constructed element. Throws `ConfigError` if it is not a list of
 * elements, or nested too deeply.
 */
export function readElements(der: Der): readonly Der[] {
  if ((der.tag & 0x20) === 0) throw malformedDer(der, "expected a structure");
  if (der.depth >= maxDepth) throw malformedDer(der, "nested too deeply");
  const elements: Der[] = [];
  let offset = 0;
  while (offset < der.content.length) {
    if (elements.length === maxElements) {
      throw malformedDer(der, "too many parts");
    }
    const element = readElement(der.content, offset, der.what, der.depth + 1);
    elements.push(element);
    offset += element.encoded.length;
  }
  return elements;
}

/** Parts of a SEQUENCE. Throws `ConfigError` if the element is missing or has another type. */
export function readSequence(der: Der): readonly Der[] {
  return readElements(requireTag(der, derTag.sequence));
}

/** Returns the element if it has the tag. Throws `ConfigError` if it has another one. */
export function requireTag(der: Der, tag: number): Der {
  if (der.tag !== tag) {
    throw malformedDer(der, `expected tag ${hex(tag)}, found ${hex(der.tag)}`);
  }
  return der;
}

/** Returns one of the parts of an element. Throws `ConfigError` if there are fewer. */
export function partAt(
  parent: Der,
  parts: readonly Der[],
  index: number,
): Der {
  const part = parts[index];
  if (part === undefined) throw malformedDer(parent, "a part is missing");
  return part;
}

/** Reports whether two encodings are equal; in DER that means equal content. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length &&
    one.every((byte, index) => byte === other[index]);
}

/** Error for malformed input, with the reason. */
export function malformedDer(der: Der, problem: string): ConfigError {
  return new ConfigError(`Cannot read ${der.what}: ${problem}`);
}

function readElement(
  bytes: Uint8Array,
  start: number,
  what: string,
  depth: number,
): Der {
  const tag = bytes[start];
  if (tag === undefined) throw cutOff(what);
  if ((tag & 0x1f) === 0x1f) {
    throw new ConfigError(`Cannot read ${what}: long tags are not supported`);
  }
  const { length, next } = readLength(bytes, start + 1, what);
  const end = next + length;
  if (end > bytes.length) throw cutOff(what);
  return {
    tag,
    content: bytes.subarray(next, end),
    encoded: bytes.subarray(start, end),
    depth,
    what,
  };
}

function readLength(
  bytes: Uint8Array,
  start: number,
  what: string,
): { readonly length: number; readonly next: number } {
  const first = bytes[start];
  if (first === undefined) throw cutOff(what);
  if (first < 0x80) return { length: first, next: start + 1 };
  const next = start + 1 + (first & 0x7f);
  const digits = bytes.subarray(start + 1, next);
  if (digits.length < (first & 0x7f)) throw cutOff(what);
  if (digits.length === 0 || digits.length > 4) {
    throw new ConfigError(`Cannot read ${what}: length is not DER`);
  }
  const length = digits.reduce((sum, digit) => sum * 256 + digit, 0);
  // DER allows one encoding of each length; a longer one is a forgery or another format.
  if (length < 0x80 || digits[0] === 0) {
    throw new ConfigError(`Cannot read ${what}: length is not DER`);
  }
  return { length, next };
}

function cutOff(what: string): ConfigError {
  return new ConfigError(`Cannot read ${what}: data is truncated`);
}

function hex(tag: number): string {
  return `0x${tag.toString(16).padStart(2, "0")}`;
}
