/** Snapshots of etcd of any size, made without etcd. */

import { createHash, type Hash } from "node:crypto";

export interface SnapshotSpec {
  /** Bytes the database has at least. */
  readonly size: number;
  /** Length of each value in bytes. */
  readonly valueSize: number;
}

const pageSize = 4096;
const headerSize = 16;
const lineSize = 16;

/** Room that is filled, as etcd fills pages. */
const room = 0.9 * pageSize;

/** Keys that are written in turns. */
const keys = 50_000;

interface Target {
  readonly file: Deno.FsFile;
  readonly hash: Hash;
  /** Pages written so far. */
  pages: number;
}

/** First key of a page, and its number. */
type Child = readonly [key: Uint8Array, page: number];

/**
 * Writes a snapshot whose bucket `key` holds one revision after the other.
 *
 * @param path The file.
 * @param spec Size and values.
 */
export async function writeSnapshot(
  path: string,
  { size, valueSize }: SnapshotSpec,
): Promise<void> {
  using file = await Deno.create(path);
  // Meta pages and the root come last.
  const target = { file, hash: createHash("sha256"), pages: 3 };
  file.seekSync(3 * pageSize, Deno.SeekMode.Start);
  let level: Child[] = [];
  const perPage = Math.max(1, Math.floor(room / (valueSize + 80)));
  let revision = 2;
  while (target.pages * pageSize < size) {
    const elements = Array.from({ length: perPage }, () => {
      const key = revisionKey(revision);
      return [key, keyValue(`/registry/${revision++ % keys}`, valueSize)];
    });
    level.push(put(target, 2, elements));
  }
  while (level.length > 1) {
    const above: Child[] = [];
    for (let at = 0; at < level.length; at += 100) {
      above.push(put(target, 1, level.slice(at, at + 100)));
    }
    level = above;
  }
  finish(target, level[0]?.[1] ?? 0);
  await seal(target, path);
}

/** Writes a page, branch or leaf; the parts of an element are its key and its value or page. */
function put(
  target: Target,
  kind: 1 | 2,
  elements: readonly (readonly (Uint8Array | number)[])[],
): Child {
  const number = target.pages;
  const bytes = encodePage(number, kind, elements);
  target.file.writeSync(bytes);
  target.pages += bytes.length / pageSize;
  // The first part of an element is its key.
  return [elements[0]?.[0] as Uint8Array, number];
}

function encodePage(
  number: number,
  kind: number,
  elements: readonly (readonly (Uint8Array | number)[])[],
): Uint8Array<ArrayBuffer> {
  const parts = elements.flat().filter((part) => typeof part !== "number");
  const table = headerSize + lineSize * elements.length;
  const length = parts.reduce((sum, { length }) => sum + length, table);
  const count = Math.ceil(length / pageSize);
  const bytes = new Uint8Array(count * pageSize);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, number, true);
  view.setUint16(8, kind, true);
  view.setUint16(10, elements.length, true);
  view.setUint32(12, count - 1, true);
  let at = table;
  elements.forEach((element, i) => {
    const line = headerSize + lineSize * i;
    const [place, sizes] = kind === 1 ? [line, line + 4] : [line + 4, line + 8];
    view.setUint32(place, at - line, true);
    element.forEach((part, nth) => {
      const value = typeof part === "number" ? part : part.length;
      view.setUint32(sizes + 4 * nth, value, true);
      if (typeof part === "number") return;
      bytes.set(part, at);
      at += part.length;
    });
  });
  return bytes;
}

/** Writes the meta pages, and the page with the only bucket. */
function finish({ file, pages }: Target, root: number): void {
  const bucket = new Uint8Array(16);
  new DataView(bucket.buffer).setUint32(0, root, true);
  const name = new TextEncoder().encode("key");
  const top = encodePage(2, 2, [[name, bucket]]);
  new DataView(top.buffer).setUint32(headerSize, 1, true);
  file.seekSync(0, Deno.SeekMode.Start);
  file.writeSync(metaPage(0, 8, pages));
  file.writeSync(metaPage(1, 7, pages));
  file.writeSync(top);
}

function metaPage(
  number: number,
  transaction: number,
  pages: number,
): Uint8Array {
  const bytes = encodePage(number, 4, []);
  const view = new DataView(bytes.buffer, headerSize);
  const words = [0xed0cdaed, 2, pageSize, 0, 2, 0, 0, 0];
  const more = [0xffff_ffff, 0xffff_ffff, pages, 0, transaction, 0];
  [...words, ...more].forEach((word, i) => view.setUint32(4 * i, word, true));
  let sum = 0xcbf29ce484222325n;
  for (const byte of bytes.subarray(headerSize, headerSize + 56)) {
    sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
  }
  view.setBigUint64(56, sum, true);
  return bytes;
}

/** Adds the SHA-256 of everything. */
async function seal({ hash }: Target, path: string): Promise<void> {
  using file = await Deno.open(path, { read: true, append: true });
  for await (const chunk of file.readable) hash.update(chunk);
  await Deno.writeFile(path, hash.digest(), { append: true });
}

function revisionKey(revision: number): Uint8Array {
  const key = new Uint8Array(17);
  new DataView(key.buffer).setUint32(4, revision);
  key[8] = 0x5f;
  return key;
}

/** A message `mvccpb.KeyValue` with key and value. */
function keyValue(key: string, valueSize: number): Uint8Array {
  const name = new TextEncoder().encode(key);
  const head = [0x0a, name.length, ...name, 0x18, 2, 0x2a];
  const size = [valueSize & 127 | 128, valueSize >> 7];
  const bytes = new Uint8Array(head.length + 2 + valueSize);
  bytes.set([...head, ...size]);
  crypto.getRandomValues(bytes.subarray(head.length + 2));
  return bytes;
}
