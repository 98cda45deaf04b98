/** Elements of a page: a table of sizes, then keys and values without a gap. */

import type { BlockFile } from "./block_file.ts";
import { damaged } from "./damage.ts";
import { headerSize } from "./database.ts";
import { follows, type KeyOrder } from "./key_order.ts";

/** Size of one line of the table, in bytes, of branch and leaf pages alike. */
const lineSize = 16;

/** Longest key, in bytes. */
const longestKey = 32_768;

/** Flag of an element whose value is a bucket. */
const bucketFlag = 0x01;

/** Where elements are. */
export interface ElementPage {
  /** How messages name it: `page 17`. */
  readonly where: string;
  /** First byte of its header. */
  readonly at: number;
  /** How many elements it has. */
  readonly count: number;
  /** First byte after it. */
  readonly end: number;
}

/** Which element of a page. */
export interface Place {
  /** Page it is on. */
  readonly page: ElementPage;
  /** Its place on the page, counted from 0. */
  readonly index: number;
}

/** One element of a leaf page. */
export interface LeafElement extends Place {
  /** Where its key is; at least one byte. */
  readonly key: Extent;
  /** Where its value is. */
  readonly value: Extent;
  /** True when the value is a bucket. */
  readonly bucket: boolean;
}

/** Bytes in a row. */
export interface Extent {
  /** First byte. */
  readonly at: number;
  /** First byte after them. */
  readonly end: number;
}

/**
 * Visits the elements of a leaf page.
 *
 * @param file The database.
 * @param page The page.
 * @param order Keys seen before.
 * @param visit Sees each element.
 * @returns Where the keys and values are, one after the other.
 * @throws {OsctlError} If the page is damaged.
 */
export function eachLeafElement(
  file: BlockFile,
  page: ElementPage,
  order: KeyOrder,
  visit: (element: LeafElement) => void,
): Extent {
  const at = startOf(file, page);
  let next = at;
  for (let index = 0; index < page.count; index++) {
    const line = page.at + headerSize + lineSize * index;
    const flags = file.uint32(line);
    const place = line + file.uint32(line + 4);
    const key = { at: next, end: next + file.uint32(line + 8) };
    const value = { at: key.end, end: key.end + file.uint32(line + 12) };
    const bucket = flags === bucketFlag;
    const element = { page, index, key, value, bucket };
    if (place !== next || value.end > page.end) throw outside(file, element);
    checkKey(file, element, order, false);
    if (flags > bucketFlag) {
      throw damagedElement(file, element, `its flags are ${flags}`);
    }
    visit(element);
    next = value.end;
  }
  return { at, end: next };
}

/**
 * Visits the pages below a branch page.
 *
 * @param file The database.
 * @param page The page.
 * @param order Keys seen before; those of the pages below come between two elements.
 * @returns Numbers of the pages, in the order of their keys.
 * @throws {OsctlError} If the page is damaged.
 */
export function* childPages(
  file: BlockFile,
  page: ElementPage,
  order: KeyOrder,
): Generator<number> {
  let next = startOf(file, page);
  for (let index = 0; index < page.count; index++) {
    const line = page.at + headerSize + lineSize * index;
    const place = line + file.uint32(line);
    const key = { at: next, end: next + file.uint32(line + 4) };
    const element = { page, index, key };
    if (place !== next || key.end > page.end) throw outside(file, element);
    checkKey(file, element, order, true);
    yield file.uint64(line + 8);
    next = key.end;
  }
}

/**
 * Makes the error for a damaged element.
 *
 * @param file The database.
 * @param element Page and place on it.
 * @param what What is wrong.
 */
export function damagedElement(
  { source }: BlockFile,
  { page, index }: Place,
  what: string,
): Error {
  return damaged(source, `${page.where}: element ${index}: ${what}`);
}

/**
 * Reads a key as text.
 *
 * @param file The database.
 * @param key Where it is.
 * @returns One character for each byte, 100 at most.
 */
export function textOf(file: BlockFile, { at, end }: Extent): string {
  return String.fromCharCode(...file.bytes(at, Math.min(end - at, 100)));
}

/** Offset of the first key. */
function startOf(
  { source }: BlockFile,
  { where, at, count, end }: ElementPage,
): number {
  const start = at + headerSize + lineSize * count;
  if (start <= end) return start;
  throw damaged(source, `${where}: ${count} elements do not fit into it`);
}

function checkKey(
  file: BlockFile,
  element: Place & Pick<LeafElement, "key">,
  order: KeyOrder,
  branch: boolean,
): void {
  const { key } = element;
  const size = key.end - key.at;
  if (size === 0 || size > longestKey) {
    throw damagedElement(file, element, `its key has ${size} bytes`);
  }
  if (!follows(order, file, key, branch)) {
    throw damagedElement(file, element, "its key should come earlier");
  }
}

function outside(file: BlockFile, element: Place): Error {
  return damagedElement(file, element, "it is not where it should be");
}
