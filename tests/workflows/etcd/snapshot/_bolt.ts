/** Databases in the format of bbolt, page by page, and files of etcd made of them. */

import {
  type OpenSnapshot,
  openSnapshot,
} from "../../../../workflows/etcd/snapshot/open_file.ts";

/** Page size of all databases here, in bytes. */
export const pageSize = 1024;

/** Bytes as text, one character for each; numbers are little endian. */
export type Bytes = string;

/** A page without its number. */
export interface PageSpec {
  /** Flags: 1 branch, 2 leaf, 16 list of free pages. */
  readonly kind: number;
  readonly count: number;
  readonly body: Bytes;
  /** Number in the header, when it is not its own. */
  readonly number?: number;
  /** Further pages in the header, when they are not those the body needs. */
  readonly overflow?: number;
}

/** Key, value, flags. */
export type Element = readonly [key: Bytes, value: Bytes, flags?: number];

/**
 * Writes a number.
 *
 * @param size Length in bytes.
 * @param value Not negative.
 */
export function number(size: number, value: number | bigint): Bytes {
  return Array.from(
    { length: size },
    (_, i) =>
      String.fromCharCode(Number(BigInt(value) >> BigInt(8 * i) & 0xffn)),
  ).join("");
}

/**
 * Makes a leaf page.
 *
 * @param elements Elements in order.
 */
export function leaf(elements: readonly Element[]): PageSpec {
  let place = 16 * elements.length;
  const lines = elements.map(([key, value, flags = 0], i) => {
    const line = [flags, place - 16 * i, key.length, value.length];
    place += key.length + value.length;
    return line.map((word) => number(4, word)).join("");
  });
  const content = elements.map(([key, value]) => key + value);
  const body = [...lines, ...content].join("");
  return { kind: 2, count: elements.length, body };
}

/**
 * Makes a branch page.
 *
 * @param children First key and number of each page below.
 */
export function branch(
  children: readonly (readonly [Bytes, number])[],
): PageSpec {
  let place = 16 * children.length;
  const lines = children.map(([key, page], i) => {
    const line = number(4, place - 16 * i) + number(4, key.length);
    place += key.length;
    return line + number(8, page);
  });
  const keys = children.map(([key]) => key);
  return {
    kind: 1,
    count: children.length,
    body: [...lines, ...keys].join(""),
  };
}

/**
 * Makes the list of free pages.
 *
 * @param pages Their numbers.
 */
export function free(pages: readonly number[]): PageSpec {
  const body = pages.map((page) => number(8, page)).join("");
  return { kind: 16, count: pages.length, body };
}

/**
 * Makes an element that is a bucket with a page of its own.
 *
 * @param name Name of the bucket.
 * @param root The page.
 */
export function bucket(name: string, root: number): Element {
  return [name, number(8, root) + number(8, 0), 1];
}

/**
 * Makes an element that holds a small bucket itself.
 *
 * @param name Name of the bucket.
 * @param elements Its elements.
 */
export function inline(name: string, elements: readonly Element[]): Element {
  const page = leaf(elements);
  return [name, number(16, 0) + header(0, page, 0) + page.body, 1];
}

export interface MetaSpec {
  /** Page of the root bucket, default 2. */
  readonly root?: number;
  /** Page of the list of free pages, default none. */
  readonly freelist?: number;
  /** Number of pages; default the actual number. */
  readonly pages?: number;
  /** Last changes of both meta pages, default 8 and 7. */
  readonly transactions?: readonly [number, number];
  /** Page size, default {@linkcode pageSize}. */
  readonly size?: number;
}

/**
 * Makes a database.
 *
 * @param pages Pages from number 2 on; those that need more room take it.
 * @param meta What the meta pages say.
 */
export function database(
  pages: readonly PageSpec[],
  meta: MetaSpec = {},
): Uint8Array<ArrayBuffer> {
  const { size = pageSize, transactions = [8, 7] } = meta;
  const parts: Bytes[] = [];
  let next = 2;
  for (const page of pages) {
    const needed = Math.ceil((16 + page.body.length) / size);
    const head = header(page.number ?? next, page, page.overflow ?? needed - 1);
    parts.push((head + page.body).padEnd(needed * size, "\0"));
    next += needed;
  }
  const both = transactions.map((transaction, i) => {
    const body = metaBody(transaction, { pages: next, ...meta, size });
    const page = { kind: 4, count: 0, body };
    return (header(i, page, 0) + body).padEnd(size, "\0");
  });
  return bytes([...both, ...parts].join(""));
}

/**
 * Adds the SHA-256.
 *
 * @param database A database.
 */
export async function seal(
  database: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const sum = await crypto.subtle.digest("SHA-256", database);
  return bytes(text(database) + text(new Uint8Array(sum)));
}

/**
 * Turns text into bytes.
 *
 * @param text One character for each byte.
 */
export function bytes(text: Bytes): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function text(bytes: Uint8Array): Bytes {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/**
 * Writes bytes to a file, and removes it afterwards.
 *
 * @param content Bytes.
 * @param test Gets the path.
 */
export async function withFile<T>(
  content: Uint8Array,
  test: (path: string) => T | Promise<T>,
): Promise<T> {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, content);
    return await test(path);
  } finally {
    await Deno.remove(path);
  }
}

/**
 * Opens bytes as a file named `db`.
 *
 * @param content Bytes.
 * @param test Gets the file.
 */
export async function withSnapshot<T>(
  content: Uint8Array,
  test: (snapshot: OpenSnapshot) => T,
): Promise<T> {
  return await withFile(content, async (path) => {
    using file = await Deno.open(path);
    return test(openDb(file, content.length));
  });
}

/**
 * Calls an open file `db`.
 *
 * @param file The file.
 * @param size How many bytes of it count.
 */
export function openDb(file: Deno.FsFile, size: number): OpenSnapshot {
  const subject = 'Snapshot "db"';
  return openSnapshot({ file, path: "db", size, subject, hint: "Again" });
}

function header(
  page: number,
  { kind, count }: Pick<PageSpec, "kind" | "count">,
  overflow: number,
): Bytes {
  return number(8, page) + number(2, kind) + number(2, count) +
    number(4, overflow);
}

function metaBody(
  transaction: number,
  { root = 2, freelist, pages = 0, size = pageSize }: MetaSpec,
): Bytes {
  const body = [
    number(4, 0xed0cdaed),
    number(4, 2),
    number(4, size),
    number(4, 0),
    number(8, root),
    number(8, 0),
    number(8, freelist ?? 2n ** 64n - 1n),
    number(8, pages),
    number(8, transaction),
  ].join("");
  return body + number(8, fnv(body));
}

/** FNV-1a, 64 bits. */
function fnv(body: Bytes): bigint {
  let sum = 14695981039346656037n;
  for (const byte of bytes(body)) {
    sum = ((sum ^ BigInt(byte)) * 1099511628211n) % 2n ** 64n;
  }
  return sum;
}
