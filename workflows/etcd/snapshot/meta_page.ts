/** Meta pages of a database: where its tree begins. Format of bbolt, version 2. */

import type { BlockFile } from "./block_file.ts";
import { damaged } from "./damage.ts";

const magic = 0xed0cdaed;
const version = 2;

/** Flag of a meta page. */
const metaFlag = 0x04;

/** Header of a page, in bytes. */
const headerSize = 16;

/** Page sizes of systems that exist, in bytes. */
const pageSizes: readonly number[] = [
  1024,
  2048,
  4096,
  8192,
  16_384,
  32_768,
  65_536,
];

/** One valid meta page. */
export interface Meta {
  /** Its own page: 0 or 1. */
  readonly page: number;
  /** In bytes. */
  readonly pageSize: number;
  /** Page of the bucket that holds all buckets. */
  readonly root: number;
  /** Page of the list of free pages; `undefined` when the database is kept without. */
  readonly freelist: number | undefined;
  /** How many pages the database has, meta pages among them. */
  readonly pages: number;
  /** The last change. */
  readonly transaction: bigint;
}

/** What the meta pages say. */
export interface MetaPages {
  /** The valid one with the later transaction. */
  readonly meta: Meta;
  /** What is wrong with the other one: `page 1: …`; `undefined` when nothing is. */
  readonly broken: string | undefined;
}

/**
 * Reads both meta pages.
 *
 * @param file The database.
 * @throws {OsctlError} If none is valid, or one has the header of another page.
 */
export function readMetaPages(file: BlockFile): MetaPages {
  const first = metaAt(file, 0, 0);
  const second = secondMeta(file, first);
  if (typeof first === "string" && typeof second === "string") {
    throw damaged(file.source, `${first}, and ${second}`);
  }
  if (typeof first === "string") return { meta: valid(second), broken: first };
  if (typeof second === "string") return { meta: first, broken: second };
  const later = second.transaction > first.transaction;
  return { meta: later ? second : first, broken: undefined };
}

/** Looks for the second meta page at every place, if the first does not say how large pages are. */
function secondMeta(file: BlockFile, first: Meta | string): Meta | string {
  if (typeof first !== "string") return metaAt(file, 1, first.pageSize);
  const found = pageSizes.map((size) => metaAt(file, 1, size)).find((meta) =>
    typeof meta !== "string"
  );
  return found ?? "there is no other meta page";
}

function valid(meta: Meta | string): Meta {
  // The caller has seen that one of both is.
  return meta as Meta;
}

/** Reads one meta page; text says what is wrong with it. */
function metaAt(
  file: BlockFile,
  page: number,
  start: number,
): Meta | string {
  const at = start + headerSize;
  if (at + 64 > file.size) return `page ${page} is missing`;
  const wrong = problemOf(file, page, start);
  if (wrong !== undefined) return `page ${page}: ${wrong}`;
  checkHeader(file, page, start);
  const pageSize = file.uint32(at + 8);
  const { buffer } = file.bytes(at, 64);
  const words = new DataView(buffer);
  const freelist = words.getBigUint64(32, true);
  return {
    page,
    pageSize,
    root: file.uint64(at + 16),
    freelist: freelist === 2n ** 64n - 1n ? undefined : Number(freelist),
    pages: file.uint64(at + 40),
    transaction: words.getBigUint64(48, true),
  };
}

function problemOf(
  file: BlockFile,
  page: number,
  start: number,
): string | undefined {
  const at = start + headerSize;
  if (file.uint32(at) !== magic) {
    return `its magic is ${hex(file.uint32(at), 8)}, that of a database ${
      hex(magic, 8)
    }`;
  }
  if (file.uint32(at + 4) !== version) {
    return `its format is version ${file.uint32(at + 4)}, only 2 is known`;
  }
  const [said, actual] = [storedSum(file, at), fnv64(file.bytes(at, 56))];
  if (said !== actual) {
    return `its checksum is ${hex(actual, 16)}, it says ${hex(said, 16)}`;
  }
  const pageSize = file.uint32(at + 8);
  if (!pageSizes.includes(pageSize) || start !== page * pageSize) {
    return `its page size is ${pageSize}`;
  }
}

/** A header is not covered by the checksum, and etcd stops where it is not right. */
function checkHeader(file: BlockFile, page: number, start: number): void {
  const [number, kind] = [file.uint64(start), file.uint16(start + 8)];
  if (number === page && kind === metaFlag) return;
  throw damaged(
    file.source,
    `page ${page}: its header is that of page ${number}, type ${hex(kind, 2)}`,
  );
}

function storedSum(file: BlockFile, at: number): bigint {
  const { buffer } = file.bytes(at + 56, 8);
  return new DataView(buffer).getBigUint64(0, true);
}

/** FNV-1a with 64 bits (RFC 9923). */
function fnv64(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}

function hex(value: number | bigint, digits: number): string {
  return `0x${value.toString(16).padStart(digits, "0")}`;
}
