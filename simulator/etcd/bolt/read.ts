/** Reads database files of etcd's storage. Source: file format of bbolt, version 2. */

import {
  type BoltBuckets,
  boltMagic,
  type BoltPair,
  bucketFlag,
  fnv64,
  headerSize,
  pageKind,
} from "./write.ts";
import { EtcdError } from "../etcd_error.ts";

/**
 * Reads a database.
 *
 * @param file Whole pages; trailing bytes are ignored.
 * @returns Buckets and their pairs in order; nested buckets are omitted.
 * @throws {EtcdError} If it is not a database.
 */
export function readBolt(file: Uint8Array): BoltBuckets {
  try {
    const { root, pageSize } = readMeta(file);
    const database = { file, pageSize, seen: new Set<number>() };
    const roots = [...elements(database, root)];
    return new Map(roots.map(({ key, value }) => [
      new TextDecoder().decode(key),
      [...pairs(database, value)],
    ]));
  } catch (error) {
    // A reference points outside of the file.
    if (error instanceof RangeError) throw invalid();
    throw error;
  }
}

interface BoltDatabase {
  readonly file: Uint8Array;
  readonly pageSize: number;
  /** Pages read so far; a page is part of one tree only. */
  readonly seen: Set<number>;
}

interface ReadElement {
  readonly flags: number;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Returns the newer of the valid meta pages. */
function readMeta(
  file: Uint8Array,
): { readonly root: number; readonly pageSize: number } {
  const sizes = [4096, 8192, 16384, 65536];
  const metas = [0, ...sizes].flatMap((offset) => {
    if (offset + headerSize + 64 > file.length) return [];
    const bytes = file.subarray(offset + headerSize, offset + headerSize + 64);
    const view = toView(bytes);
    if (view.getUint32(0, true) !== boltMagic) return [];
    if (view.getBigUint64(56, true) !== fnv64(bytes.subarray(0, 56))) return [];
    const pageSize = view.getUint32(8, true);
    const root = Number(view.getBigUint64(16, true));
    return [{ pageSize, root, transaction: view.getBigUint64(48, true) }];
  });
  const [newest] = metas.toSorted((a, b) =>
    Number(b.transaction - a.transaction)
  );
  if (newest === undefined) throw invalid();
  return newest;
}

function* pairs(
  database: BoltDatabase,
  bucket: Uint8Array,
): Generator<BoltPair> {
  const root = Number(toView(bucket).getBigUint64(0, true));
  const found = root === 0
    ? leaf(bucket.subarray(headerSize)) // small buckets are stored inline
    : elements(database, root);
  for (const { flags, key, value } of found) {
    if (flags !== bucketFlag) yield [key, value];
  }
}

function* elements(database: BoltDatabase, id: number): Generator<ReadElement> {
  const { file, pageSize, seen } = database;
  if (seen.has(id)) throw invalid();
  seen.add(id);
  const page = file.subarray(id * pageSize);
  const view = toView(page);
  const kind = view.getUint16(8, true);
  if (kind === pageKind.leaf) return yield* leaf(page);
  if (kind !== pageKind.branch) throw invalid();
  for (let index = 0; index < view.getUint16(10, true); index++) {
    const child = view.getBigUint64(headerSize * (1 + index) + 8, true);
    yield* elements(database, Number(child));
  }
}

function* leaf(page: Uint8Array): Generator<ReadElement> {
  const view = toView(page);
  for (let index = 0; index < view.getUint16(10, true); index++) {
    const offset = headerSize * (1 + index);
    const [flags = 0, position = 0, keyLength = 0, valueLength = 0] = [
      0,
      4,
      8,
      12,
    ]
      .map((at) => view.getUint32(offset + at, true));
    const start = offset + position;
    const end = start + keyLength;
    if (end + valueLength > page.length) throw invalid();
    yield {
      flags,
      key: page.slice(start, end),
      value: page.slice(end, end + valueLength),
    };
  }
}

function invalid(): EtcdError {
  return new EtcdError("invalid database");
}

function toView({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
