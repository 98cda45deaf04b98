/** The pages of a database, each of which is used once. Format of bbolt, version 2. */

import type { BlockFile } from "./block_file.ts";
import { damaged } from "./damage.ts";
import { type MetaPages, readMetaPages } from "./meta_page.ts";

/** Header of a page, in bytes. */
export const headerSize = 16;

/** What a page can be, as its flags say it. */
export const pageKind = { branch: 0x01, leaf: 0x02, freelist: 0x10 } as const;

/** An open database. */
export interface Database extends MetaPages {
  /** Its bytes. */
  readonly file: BlockFile;
  /** One bit for each page: set when it was reached. */
  readonly reached: Uint8Array;
}

/** A page with those that continue it. */
export interface Page {
  /** Its number, counted from 0. */
  readonly number: number;
  /** Its first byte. */
  readonly at: number;
  /** Its flags. */
  readonly kind: number;
  /** How many elements it has. */
  readonly count: number;
  /** First byte after it. */
  readonly end: number;
}

/**
 * Opens a database.
 *
 * @param file Its bytes.
 * @throws {OsctlError} If no meta page is valid, or the file is too short.
 */
export function openDatabase(file: BlockFile): Database {
  const { meta, broken } = readMetaPages(file);
  const { pages, pageSize } = meta;
  if (pages * pageSize > file.size) {
    throw damaged(
      file.source,
      `it is cut short: page ${meta.page} says ${pages} pages of ${pageSize} bytes, there are ${file.size} bytes`,
    );
  }
  const reached = new Uint8Array(Math.ceil(pages / 8));
  const database = { file, meta, broken, reached };
  claim(database, 0, 0);
  claim(database, 1, 1);
  return database;
}

/**
 * Reads the header of a page and marks it as reached, with those that continue it.
 *
 * @param database The database.
 * @param number The page.
 * @param from Page that names it.
 * @throws {OsctlError} If it is not there, was reached before, or is another page.
 */
export function pageAt(
  database: Database,
  number: number,
  from: number,
): Page {
  const { file, meta: { pages, pageSize } } = database;
  if (!(number >= 2 && number < pages)) {
    throw damaged(
      file.source,
      `page ${from}: it refers to page ${number} of ${pages}`,
    );
  }
  const at = number * pageSize;
  if (file.uint64(at) !== number) {
    throw damaged(
      file.source,
      `page ${number}: its header is that of page ${file.uint64(at)}`,
    );
  }
  const last = number + file.uint32(at + 12);
  if (last >= pages) {
    throw damaged(
      file.source,
      `page ${number}: it goes on to page ${last} of ${pages}`,
    );
  }
  for (let each = number; each <= last; each++) claim(database, each, from);
  return {
    number,
    at,
    kind: file.uint16(at + 8),
    count: file.uint16(at + 10),
    end: (last + 1) * pageSize,
  };
}

/**
 * Marks a page as reached.
 *
 * @param database The database.
 * @param number The page; it is there.
 * @param from Page that names it.
 * @throws {OsctlError} If it was reached before.
 */
export function claim(
  { file, reached }: Database,
  number: number,
  from: number,
): void {
  const [place, bit] = [number >>> 3, 1 << (number & 7)];
  const before = reached[place] ?? 0;
  if (before & bit) {
    throw damaged(
      file.source,
      `page ${number}: it is used more than once, the second time by page ${from}`,
    );
  }
  reached[place] = before | bit;
}

/**
 * Finds a page that was not reached.
 *
 * @param database The database.
 * @returns The first one; `undefined` when all were.
 */
export function firstLost({ meta, reached }: Database): number | undefined {
  for (let page = 0; page < meta.pages; page++) {
    if (((reached[page >>> 3] ?? 0) & (1 << (page & 7))) === 0) return page;
  }
}
