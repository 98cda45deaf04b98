/** The list of free pages, which databases may be kept without. */

import { damaged } from "./damage.ts";
import {
  claim,
  type Database,
  headerSize,
  type Page,
  pageAt,
  pageKind,
} from "./database.ts";

/** Count that says: the true count is the first number. */
const manyMark = 0xffff;

/** A page number, in bytes. */
const numberSize = 8;

/**
 * Marks the free pages as reached.
 *
 * @param database The database; one that is kept without the list stays as it is.
 * @throws {OsctlError} If the list is damaged, or names a page that was reached before.
 */
export function claimFreePages(database: Database): void {
  const { file, meta } = database;
  if (meta.freelist === undefined) return;
  const page = pageAt(database, meta.freelist, meta.page);
  if (page.kind !== pageKind.freelist) {
    throw damaged(
      file.source,
      `page ${page.number}: type ${page.kind} is no list of free pages`,
    );
  }
  const { first, count } = placeOf(database, page);
  for (let i = 0; i < count; i++) {
    const free = file.uint64(first + numberSize * i);
    if (!(free >= 2 && free < meta.pages)) {
      throw damaged(
        file.source,
        `page ${page.number}: free page ${free} is none of ${meta.pages}`,
      );
    }
    claim(database, free, page.number);
  }
}

function placeOf({ file }: Database, { number, at, count, end }: Page) {
  const start = at + headerSize;
  const place = count === manyMark
    ? { first: start + numberSize, count: file.uint64(start) }
    : { first: start, count };
  if (place.first + numberSize * place.count <= end) return place;
  throw damaged(
    file.source,
    `page ${number}: ${place.count} free pages do not fit into it`,
  );
}
