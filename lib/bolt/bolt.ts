/** Reader of the bbolt format, version 2: every page is read once. */

import { Buffer } from "node:buffer";
import { type BoltSource, damagedError } from "./bolt_source.ts";
import { type Meta, readMeta } from "./meta_page.ts";

/** Page header: number, kind, element count, overflow count. In bytes. */
export const headerSize = 16;

/** Element of a page, and bucket header: root page and sequence. In bytes. */
const lineSize = 16;

/** Page type flags. */
export const pageKind = {
  branch: 0x01,
  leaf: 0x02,
  meta: 0x04,
  freelist: 0x10,
} as const;

/** Maximum length of a key, in bytes. */
const longestKey = 32_768;

/** Maximum size of a page with its overflow, in bytes; etcd's values are far smaller. */
const largestPage = 2 ** 29;

/** Maximum depth of the tree; a deeper one would not fit any disk. */
const mostLevels = 64;

/** Count of free pages that means: the first number is the real count. */
const manyMark = 0xffff;

/** An open database. */
export interface Database {
  readonly source: BoltSource;
  readonly meta: Meta;
  /** Problem of the other meta page: `page 1: …`; `undefined` if there is none. */
  readonly broken: string | undefined;
  /** Bitmap of pages reached. */
  readonly reached: Uint8Array;
}

/** An element of a leaf page. */
export interface BoltElement {
  /** Location in messages: `page 17: element 3`. */
  readonly where: string;
  readonly key: Uint8Array<ArrayBuffer>;
  readonly value: Uint8Array<ArrayBuffer>;
  readonly bucket: boolean;
}

interface LeafPage {
  /** Its elements, sorted by key. */
  readonly elements: readonly BoltElement[];
  /** All keys and values, concatenated. */
  readonly content: Uint8Array<ArrayBuffer>;
  readonly size: number;
}

/** A bucket of the database. */
export interface Bucket {
  readonly name: Uint8Array<ArrayBuffer>;
  /** Its leaf pages in key order; throws {@linkcode OsctlError} if one is damaged. */
  readonly pages: Iterable<LeafPage>;
}

/** A page, or an inline page of an element. */
interface BoltPage {
  readonly where: string;
  readonly kind: number;
  readonly count: number;
  readonly view: DataView<ArrayBuffer>;
}

/** The previous key; keys of a bucket ascend from its first page to its last. */
interface KeyOrder {
  last?: Uint8Array;
  /** True when the first key below a branch may equal that of the branch. */
  fromBranch?: boolean;
}

/** Opens a database. Throws `OsctlError` if no meta page is valid, or the file is truncated. */
export function openDatabase(source: BoltSource): Database {
  const { meta, broken } = readMeta(source);
  const { pages, pageSize } = meta;
  if (pages * pageSize > source.size) {
    throw damagedError(
      source,
      `it is truncated: page ${meta.page} says ${pages} pages of ${pageSize} bytes, there are ${source.size} bytes`,
    );
  }
  const reached = new Uint8Array(Math.ceil(pages / 8));
  const database = { source, meta, broken, reached };
  claim(database, 0, 0);
  claim(database, 1, 1);
  return database;
}

/**
 * Lists the buckets.
 *
 * @returns Buckets sorted by name.
 * @throws {OsctlError} If a page is damaged, or an element is not a bucket.
 */
export function* buckets(database: Database): Generator<Bucket> {
  const { source, meta } = database;
  for (const { elements } of leafPages(database, meta.root, meta.page)) {
    for (const element of elements) {
      if (!element.bucket || element.value.length < lineSize) {
        throw damagedError(source, `${element.where}: it is not a bucket`);
      }
      yield { name: element.key, pages: bucketPages(database, element) };
    }
  }
}

function bucketPages(
  database: Database,
  { where, value }: BoltElement,
): Iterable<LeafPage> {
  const { source } = database;
  const view = toView(value);
  const root = uint64(view, 0);
  if (root !== 0) {
    return leafPages(database, root, Number(/\d+/.exec(where)?.[0]));
  }
  // The only page of a small bucket is inline.
  if (value.length < lineSize + headerSize) {
    throw damagedError(source, `${where}: it is too short for a bucket`);
  }
  const page = pageIn(where, toView(value.subarray(lineSize)));
  const { kind } = page;
  const more = page.view.getUint32(12, true);
  if (uint64(page.view, 0) !== 0 || kind !== pageKind.leaf || more !== 0) {
    throw damagedError(source, `${where}: its bucket has no leaf page`);
  }
  return [readLeaf(source, page, {})];
}

/** Leaf pages below a page, in key order. */
function* leafPages(
  database: Database,
  number: number,
  from: number,
  order: KeyOrder = {},
  level = 1,
): Generator<LeafPage> {
  const { source } = database;
  const page = pageAt(database, number, from);
  const { where, kind, count } = page;
  if (kind === pageKind.leaf) return yield readLeaf(source, page, order);
  if (kind !== pageKind.branch) {
    throw damagedError(source, `${where}: type ${kind} holds no keys`);
  }
  if (count === 0 || level === mostLevels) {
    const what = count === 0 ? "nothing" : `more than ${mostLevels} levels`;
    throw damagedError(source, `${where}: there is ${what} below it`);
  }
  for (const child of readChildren(source, page, order)) {
    yield* leafPages(database, child, number, order, level + 1);
  }
}

/** A leaf is a table of sizes, then keys and values without gaps. */
function readLeaf(
  source: BoltSource,
  { where: page, view, count }: BoltPage,
  order: KeyOrder,
): LeafPage {
  const start = contentStart(source, page, count, view);
  const elements: BoltElement[] = [];
  let next = start;
  for (let index = 0; index < count; index++) {
    const where = `${page}: element ${index}`;
    const line = headerSize + lineSize * index;
    const flags = view.getUint32(line, true);
    const middle = next + view.getUint32(line + 8, true);
    const end = middle + view.getUint32(line + 12, true);
    if (line + view.getUint32(line + 4, true) !== next) {
      throw misplacedPage(source, where);
    }
    if (end > view.byteLength) throw misplacedPage(source, where);
    const key = toBytes(view, next, middle);
    checkKey(source, where, key, order, false);
    if (flags > 1) {
      throw damagedError(source, `${where}: its flags are ${flags}`);
    }
    const value = toBytes(view, middle, end);
    elements.push({ where, key, value, bucket: flags === 1 });
    next = end;
  }
  const content = toBytes(view, start, next);
  return { elements, content, size: view.byteLength };
}

/** Child page numbers of a branch page, in key order. */
function* readChildren(
  source: BoltSource,
  { where: page, view, count }: BoltPage,
  order: KeyOrder,
): Generator<number> {
  let next = contentStart(source, page, count, view);
  for (let index = 0; index < count; index++) {
    const where = `${page}: element ${index}`;
    const line = headerSize + lineSize * index;
    const end = next + view.getUint32(line + 4, true);
    const isInPlace = line + view.getUint32(line, true) === next;
    if (!isInPlace || end > view.byteLength) throw misplacedPage(source, where);
    checkKey(source, where, toBytes(view, next, end), order, true);
    yield uint64(view, line + 8);
    next = end;
  }
}

function contentStart(
  source: BoltSource,
  where: string,
  count: number,
  view: DataView,
): number {
  const start = headerSize + lineSize * count;
  if (start <= view.byteLength) return start;
  throw damagedError(source, `${where}: ${count} elements do not fit into it`);
}

function misplacedPage(source: BoltSource, where: string): Error {
  return damagedError(source, `${where}: it is not where it should be`);
}

function checkKey(
  source: BoltSource,
  where: string,
  key: Uint8Array,
  order: KeyOrder,
  fromBranch: boolean,
): void {
  if (key.length === 0 || key.length > longestKey) {
    throw damagedError(source, `${where}: its key has ${key.length} bytes`);
  }
  const { last } = order;
  const ahead = last === undefined ? 1 : Buffer.compare(key, last);
  if (ahead < 0 || (ahead === 0 && !order.fromBranch)) {
    throw damagedError(source, `${where}: its key should come earlier`);
  }
  order.last = key;
  order.fromBranch = fromBranch;
}

/** Reads a page with its overflow, and marks it as reached. */
function pageAt(database: Database, number: number, from: number): BoltPage {
  const { source, meta: { pages, pageSize } } = database;
  if (!(number >= 2 && number < pages)) {
    throw damagedError(
      source,
      `page ${from}: it refers to page ${number} of ${pages}`,
    );
  }
  const view = source.read(number * pageSize, pageSize);
  if (uint64(view, 0) !== number) {
    throw damagedError(
      source,
      `page ${number}: its header is that of page ${uint64(view, 0)}`,
    );
  }
  const last = number + view.getUint32(12, true);
  const size = (last - number + 1) * pageSize;
  if (last >= pages || size > largestPage) {
    throw damagedError(
      source,
      `page ${number}: it continues on page ${last} of ${pages}`,
    );
  }
  for (let each = number; each <= last; each++) claim(database, each, from);
  if (last === number) return pageIn(`page ${number}`, view);
  const whole = new Uint8Array(size);
  whole.set(toBytes(view, 0, pageSize));
  const rest = source.read((number + 1) * pageSize, size - pageSize);
  whole.set(toBytes(rest, 0, size - pageSize), pageSize);
  return pageIn(`page ${number}`, toView(whole));
}

function pageIn(where: string, view: DataView<ArrayBuffer>): BoltPage {
  const kind = view.getUint16(8, true);
  return { where, kind, count: view.getUint16(10, true), view };
}

function claim(
  { source, reached }: Database,
  number: number,
  from: number,
): void {
  const [index, bit] = [number >>> 3, 1 << (number & 7)];
  const before = reached[index] ?? 0;
  if (before & bit) {
    throw damagedError(
      source,
      `page ${number}: it is used more than once, the second time by page ${from}`,
    );
  }
  reached[index] = before | bit;
}

/**
 * Marks the free pages as reached.
 *
 * @param database The database; unchanged if it has no freelist.
 * @throws {OsctlError} If the freelist is damaged, or lists a page that was already reached.
 */
export function claimFreePages(database: Database): void {
  const { source, meta } = database;
  if (meta.freelist === undefined) return;
  const { where, kind, count: short, view } = pageAt(
    database,
    meta.freelist,
    meta.page,
  );
  if (kind !== pageKind.freelist) {
    throw damagedError(
      source,
      `${where}: type ${kind} is not a list of free pages`,
    );
  }
  const isLong = short === manyMark;
  const start = headerSize + (isLong ? 8 : 0);
  const count = isLong ? uint64(view, headerSize) : short;
  if (start + 8 * count > view.byteLength) {
    throw damagedError(
      source,
      `${where}: ${count} free pages do not fit into it`,
    );
  }
  for (let at = start; at < start + 8 * count; at += 8) {
    const free = uint64(view, at);
    if (!(free >= 2 && free < meta.pages)) {
      throw damagedError(
        source,
        `${where}: free page ${free} is none of ${meta.pages}`,
      );
    }
    claim(database, free, meta.freelist);
  }
}

/**
 * Finds a page that is neither used nor free.
 *
 * @returns The first one; `undefined` when all were reached, or the database has no freelist.
 */
export function firstLostPage({ meta, reached }: Database): number | undefined {
  if (meta.freelist === undefined) return undefined;
  for (let page = 0; page < meta.pages; page++) {
    if (((reached[page >>> 3] ?? 0) & (1 << (page & 7))) === 0) return page;
  }
}

function toBytes(view: DataView<ArrayBuffer>, from: number, to: number) {
  return new Uint8Array(view.buffer, view.byteOffset + from, to - from);
}

function toView(bytes: Uint8Array<ArrayBuffer>): DataView<ArrayBuffer> {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Rounded from 2^53 on, beyond any file size. */
function uint64(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}
