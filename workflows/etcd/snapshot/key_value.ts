/** Keys and values of the bucket `key`: revisions, and what was written in them. */

import type { BlockFile } from "./block_file.ts";
import type { Extent } from "./elements.ts";

/** One change. */
export interface Revision {
  /** Number of the transaction; counts up from 2. */
  readonly main: number;
  /** True when the key was deleted. */
  readonly deleted: boolean;
}

/** Length of a revision in bytes: main number, `_`, number within it. */
const revisionSize = 17;

/**
 * Reads a revision.
 *
 * @param file Where it is.
 * @param place Where in it; big-endian numbers, `t` at their end for a deletion.
 * @returns `undefined` if it is none.
 */
export function revisionAt(
  file: BlockFile,
  { at, end }: Extent,
): Revision | undefined {
  const deleted = end - at === revisionSize + 1;
  if (!deleted && end - at !== revisionSize) return undefined;
  if (file.uint8(at + 8) !== 0x5f) return undefined;
  if (deleted && file.uint8(at + revisionSize) !== 0x74) return undefined;
  let main = 0;
  for (let i = 0; i < 8; i++) main = 0x100 * main + file.uint8(at + i);
  return { main, deleted };
}

/** What may be in a field of a message. */
const wire = { number: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Number of the field with the key, in `mvccpb.KeyValue`. */
const keyField = 1;

/**
 * Finds the key within a value, which is a protobuf message `mvccpb.KeyValue`.
 *
 * @param file The database.
 * @param value Where the message is.
 * @returns Where its key is; `undefined` if it is no such message.
 */
export function keyWithin(
  file: BlockFile,
  value: Extent,
): Extent | undefined {
  let key: Extent | undefined;
  let at = value.at;
  while (at < value.end) {
    const tag = numberAt(file, at, value.end);
    if (tag === undefined || tag.number < 8) return undefined;
    const body = bodyOf(file, tag.number % 8, { at: tag.end, end: value.end });
    if (body === undefined || body.end > value.end) return undefined;
    if (tag.number === 8 * keyField + wire.bytes) key = body;
    at = body.end;
  }
  return key;
}

/** Where the content of a field is. */
function bodyOf(
  file: BlockFile,
  type: number,
  { at, end }: Extent,
): Extent | undefined {
  if (type === wire.fixed64) return { at, end: at + 8 };
  if (type === wire.fixed32) return { at, end: at + 4 };
  if (type !== wire.number && type !== wire.bytes) return undefined;
  const read = numberAt(file, at, end);
  if (read === undefined || type === wire.number) {
    return read && { at, end: read.end };
  }
  return { at: read.end, end: read.end + read.number };
}

/** A number of seven bits to a byte, the lowest first, and where it ends. */
function numberAt(file: BlockFile, at: number, end: number) {
  let [number, scale] = [0, 1];
  const last = Math.min(end, at + 10);
  for (let next = at; next < last; next++) {
    const byte = file.uint8(next);
    number += (byte & 0x7f) * scale;
    if (byte < 0x80) return { number, end: next + 1 };
    scale *= 0x80;
  }
}
