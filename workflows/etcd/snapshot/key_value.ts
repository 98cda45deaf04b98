/** Keys and values of the bucket `key`: revisions and changes. */

/** Length of a revision in bytes: main number, `_`, number within it. */
const revisionSize = 17;

/**
 * Parses a revision: big-endian numbers, `t` at the end for a deletion.
 *
 * @returns Transaction number, and whether the key was deleted; `undefined` if it is not a revision.
 */
export function revisionIn(bytes: Uint8Array): {
  /** Transaction number; starts at 2. */
  readonly main: number;
  readonly deleted: boolean;
} | undefined {
  const deleted = bytes.length === revisionSize + 1;
  if (!deleted && bytes.length !== revisionSize) return undefined;
  if (bytes[8] !== 0x5f) return undefined;
  if (deleted && bytes[revisionSize] !== 0x74) return undefined;
  let main = 0;
  for (let i = 0; i < 8; i++) main = 0x100 * main + (bytes[i] ?? 0);
  return { main, deleted };
}

/** Protobuf wire types. */
const wire = { number: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Number of the key field in `mvccpb.KeyValue`. */
const keyField = 1;

/**
 * Finds the key in a value, a protobuf message `mvccpb.KeyValue`.
 *
 * @returns `undefined` if it is not such a message.
 */
export function keyWithin(value: Uint8Array): Uint8Array | undefined {
  let key: Uint8Array | undefined;
  let at = 0;
  while (at < value.length) {
    const tag = varintAt(value, at);
    if (tag === undefined || tag.number < 8) return undefined;
    const body = readBody(value, tag.number % 8, tag.end);
    if (body === undefined || body.end > value.length) return undefined;
    if (tag.number === 8 * keyField + wire.bytes) {
      key = value.subarray(body.at, body.end);
    }
    at = body.end;
  }
  return key;
}

function readBody(value: Uint8Array, type: number, at: number) {
  if (type === wire.fixed64) return { at, end: at + 8 };
  if (type === wire.fixed32) return { at, end: at + 4 };
  if (type !== wire.number && type !== wire.bytes) return undefined;
  const read = varintAt(value, at);
  if (read === undefined || type === wire.number) {
    return read && { at, ...read };
  }
  return { at: read.end, end: read.end + read.number };
}

/** Decodes a varint: seven bits per byte, lowest first. Returns the number and its end. */
function varintAt(value: Uint8Array, at: number) {
  let [number, scale] = [0, 1];
  for (let next = at; next < at + 10; next++) {
    const byte = value[next];
    if (byte === undefined) return undefined;
    number += (byte & 0x7f) * scale;
    if (byte < 0x80) return { number, end: next + 1 };
    scale *= 0x80;
  }
}

/** Counts live keys from changes in order; memory is bounded. */
export class LiveKeys {
  #hashes: Set<number> | undefined = new Set();
  readonly #most: number;

  /** Starts empty. `most`: maximum number of keys to count; the hashes of two million take some 100 MB. */
  constructor(most = 2 ** 21) {
    this.#most = most;
  }

  /** Number of live keys; null when there were too many to count. */
  get count(): number | null {
    return this.#hashes?.size ?? null;
  }

  /** Records the next change of a key. */
  change(key: Uint8Array, deleted: boolean): void {
    if (this.#hashes === undefined) return;
    if (deleted) this.#hashes.delete(hashKey(key));
    else this.#hashes.add(hashKey(key));
    if (this.#hashes.size > this.#most) this.#hashes = undefined;
  }
}

/** 53 bits: collisions among millions of keys are unlikely. */
function hashKey(key: Uint8Array): number {
  let [a, b] = [0x2545f491, 0x9e3779b9];
  for (const byte of key) {
    a = Math.imul(a ^ byte, 0x9e3779b1);
    b = Math.imul(b ^ byte, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^
    Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^
    Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return 2 ** 32 * (b & 0x1f_ffff) + (a >>> 0);
}
