/** Buckets of a database, and the leaf pages of a bucket in the order of their keys. */

import { damaged } from "./damage.ts";
import { type Database, headerSize, pageAt, pageKind } from "./database.ts";
import {
  childPages,
  damagedElement,
  eachLeafElement,
  type ElementPage,
  type LeafElement,
  textOf,
} from "./elements.ts";
import { type KeyOrder, startOrder } from "./key_order.ts";

/** Most levels of pages; a tree of this height would be larger than any disk. */
const mostLevels = 64;

/** What stands before the page of a bucket that is kept within an element: root and sequence. */
const bucketHeaderSize = 16;

/** One bucket. */
export interface Bucket {
  /** Name, one character for each byte. */
  readonly name: string;
  /** Element of the root bucket that holds it. */
  readonly element: LeafElement;
}

/**
 * Finds the buckets.
 *
 * @param database The database.
 * @returns Buckets in the order of their names.
 * @throws {OsctlError} If a page is damaged, or something is no bucket.
 */
export function* buckets(database: Database): Generator<Bucket> {
  const { file, meta } = database;
  const order = startOrder();
  for (const page of below(database, meta.root, meta.page, order)) {
    const found: LeafElement[] = [];
    eachLeafElement(file, page, order, (element) => found.push(element));
    for (const element of found) {
      const { key, value } = element;
      if (!element.bucket || value.end - value.at < bucketHeaderSize) {
        throw damagedElement(file, element, "it is no bucket");
      }
      yield { name: textOf(file, key), element };
    }
  }
}

/**
 * Finds the leaf pages of a bucket.
 *
 * @param database The database.
 * @param bucket The bucket.
 * @param order Keys seen before; whoever takes a page shows its keys to it.
 * @returns Pages in the order of their keys.
 * @throws {OsctlError} If a page is damaged.
 */
export function* leafPages(
  database: Database,
  { element }: Bucket,
  order: KeyOrder,
): Generator<ElementPage> {
  const root = database.file.uint64(element.value.at);
  if (root === 0) yield inlinePage(database, element);
  else {
    const from = Math.floor(element.page.at / database.meta.pageSize);
    yield* below(database, root, from, order);
  }
}

/** The one page of a small bucket is the value of its element. */
function inlinePage(
  { file }: Database,
  element: LeafElement,
): ElementPage {
  const at = element.value.at + bucketHeaderSize;
  const { end } = element.value;
  if (at + headerSize > end) {
    throw damagedElement(file, element, "it is too short for a bucket");
  }
  const where = `${element.page.where}: element ${element.index}`;
  const head = [file.uint64(at), file.uint16(at + 8), file.uint32(at + 12)];
  if (head.join() !== `0,${pageKind.leaf},0`) {
    throw damaged(file.source, `${where}: its bucket has no leaf page`);
  }
  return { where, at, count: file.uint16(at + 10), end };
}

function* below(
  database: Database,
  number: number,
  from: number,
  order: KeyOrder,
  level = 1,
): Generator<ElementPage> {
  const { file } = database;
  const { at, end, count, kind } = pageAt(database, number, from);
  const page = { where: `page ${number}`, at, end, count };
  if (kind === pageKind.leaf) return yield page;
  if (kind !== pageKind.branch) {
    throw damaged(file.source, `page ${number}: type ${kind} holds no keys`);
  }
  if (count === 0 || level === mostLevels) {
    const what = count === 0 ? "nothing" : `more than ${mostLevels} levels`;
    throw damaged(file.source, `page ${number}: there is ${what} below it`);
  }
  for (const child of childPages(file, page, order)) {
    yield* below(database, child, number, order, level + 1);
  }
}
