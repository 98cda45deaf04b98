/** Writes database files the way etcd's storage lays them out. Source: file format of bbolt, version 2. */

import { headerSize, pageKind } from "../../lib/bolt/bolt.ts";
import { magic, metaChecksum } from "../../lib/bolt/meta_page.ts";

/** A key and its value. */
export type BoltPair = readonly [key: Uint8Array, value: Uint8Array];

/** Pairs by the name of their bucket. */
export type BoltBuckets = ReadonlyMap<string, readonly BoltPair[]>;

/** Size of a page, in bytes. */
const pageSize = 4096;

/** Flag of elements whose value is a bucket. */
const bucketFlag = 1;

/**
 * Writes a database.
 *
 * @param buckets Buckets and pairs, in any order.
 * @returns Whole pages.
 */
export function writeBolt(buckets: BoltBuckets): Uint8Array<ArrayBuffer> {
  // Pages 0 and 1 are meta pages, page 2 is the list of free ones.
  const pages: WrittenPage[] = [];
  const roots = [...buckets].map(([name, pairs]): WrittenElement => ({
    key: new TextEncoder().encode(name),
    value: bucketHeader(writeTree(pages, pairs.map(toElement))),
    flags: bucketFlag,
  }));
  const root = writeTree(pages, roots);
  const end = 3 + pages.reduce((sum, { count }) => sum + count, 0);
  const file = new Uint8Array(end * pageSize);
  for (const id of [0, 1]) file.set(metaPage({ id, root, end }), id * pageSize);
  file.set(
    header({ id: 2, kind: pageKind.freelist, count: 0, overflow: 0 }),
    2 * pageSize,
  );
  for (const { id, bytes } of pages) file.set(bytes, id * pageSize);
  return file;
}

interface WrittenPage {
  readonly id: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}

interface WrittenElement {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly flags: number;
}

function toElement([key, value]: BoltPair): WrittenElement {
  return { key, value, flags: 0 };
}

/** Adds the pages of one bucket; returns its root page. */
function writeTree(
  pages: WrittenPage[],
  elements: readonly WrittenElement[],
): number {
  const sorted = elements.toSorted((a, b) => compare(a.key, b.key));
  let level = groups(sorted, ({ key, value }) => key.length + value.length)
    .map((group) => ({
      key: group[0]?.key ?? new Uint8Array(),
      id: addLeaf(pages, group),
    }));
  while (level.length > 1) {
    level = groups(level, ({ key }) => key.length)
      .map((group) => ({ key: group[0]!.key, id: addBranch(pages, group) })); // no group is empty
  }
  return level[0]!.id; // there is at least one group
}

/** Splits a list into groups that fit into a page each; an item larger than a page gets its own. */
function groups<T>(items: readonly T[], size: (item: T) => number): T[][] {
  const all: T[][] = [[]];
  let room = pageSize - headerSize;
  for (const item of items) {
    const needed = headerSize + size(item);
    if (needed > room && all.at(-1)!.length > 0) {
      all.push([]);
      room = pageSize - headerSize;
    }
    all.at(-1)!.push(item); // never empty
    room -= needed;
  }
  return all;
}

function addLeaf(
  pages: WrittenPage[],
  elements: readonly WrittenElement[],
): number {
  const data = elements.flatMap(({ key, value }) => [key, value]);
  return addPage(
    pages,
    pageKind.leaf,
    elements.length,
    data,
    (view, index, position) => {
      const { flags, key, value } = elements[index]!; // index is in range
      view.setUint32(0, flags, true);
      view.setUint32(4, position, true);
      view.setUint32(8, key.length, true);
      view.setUint32(12, value.length, true);
      return key.length + value.length;
    },
  );
}

function addBranch(
  pages: WrittenPage[],
  children: readonly { readonly key: Uint8Array; readonly id: number }[],
): number {
  const data = children.map(({ key }) => key);
  return addPage(
    pages,
    pageKind.branch,
    children.length,
    data,
    (view, index, position) => {
      const { key, id } = children[index]!; // index is in range
      view.setUint32(0, position, true);
      view.setUint32(4, key.length, true);
      view.setBigUint64(8, BigInt(id), true);
      return key.length;
    },
  );
}

/** Adds a page: header, elements, then their data. */
function addPage(
  pages: WrittenPage[],
  kind: number,
  count: number,
  data: readonly Uint8Array[],
  /** Writes an element, given the offset of its data; returns the length of the data. */
  writeElement: (view: DataView, index: number, position: number) => number,
): number {
  const last = pages.at(-1);
  const id = last ? last.id + last.count : 3;
  const start = headerSize * (1 + count);
  const size = data.reduce((sum, { length }) => sum + length, start);
  const taken = Math.max(1, Math.ceil(size / pageSize));
  const bytes = new Uint8Array(taken * pageSize);
  bytes.set(header({ id, kind, count, overflow: taken - 1 }));
  let at = start;
  for (let index = 0; index < count; index++) {
    const offset = headerSize * (1 + index);
    at += writeElement(
      new DataView(bytes.buffer, offset, headerSize),
      index,
      at - offset,
    );
  }
  at = start;
  for (const part of data) {
    bytes.set(part, at);
    at += part.length;
  }
  pages.push({ id, count: taken, bytes });
  return id;
}

function header(
  { id, kind, count, overflow }: {
    readonly id: number;
    readonly kind: number;
    readonly count: number;
    readonly overflow: number;
  },
): Uint8Array {
  const bytes = new Uint8Array(headerSize);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(id), true);
  view.setUint16(8, kind, true);
  view.setUint16(10, count, true);
  view.setUint32(12, overflow, true);
  return bytes;
}

function bucketHeader(root: number): Uint8Array {
  const bytes = new Uint8Array(headerSize);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(root), true);
  return bytes;
}

function metaPage(
  { id, root, end }: {
    readonly id: number;
    readonly root: number;
    readonly end: number;
  },
): Uint8Array {
  const bytes = new Uint8Array(headerSize + 64);
  bytes.set(header({ id, kind: pageKind.meta, count: 0, overflow: 0 }));
  const view = new DataView(bytes.buffer, headerSize);
  view.setUint32(0, magic, true);
  view.setUint32(4, 2, true); // version
  view.setUint32(8, pageSize, true);
  view.setBigUint64(16, BigInt(root), true);
  view.setBigUint64(32, 2n, true); // the list of free pages
  view.setBigUint64(40, BigInt(end), true);
  view.setBigUint64(48, BigInt(id), true); // transaction
  view.setBigUint64(56, metaChecksum(new DataView(bytes.buffer)), true);
  return bytes;
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = a[index]! - b[index]!; // within both
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
