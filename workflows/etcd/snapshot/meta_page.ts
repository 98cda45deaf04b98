/** Meta pages of a database: where its tree begins. Format of bbolt, version 2. */

import { damaged, type OpenSnapshot, readAt } from "./open_file.ts";

const magic = 0xed0cdaed;
const version = 2;

const metaFlag = 0x04;

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
  readonly page: number;
  /** In bytes. */
  readonly pageSize: number;
  /** Page of the bucket that holds all buckets. */
  readonly root: number;
  /** Page of the list of free pages; `undefined` when the database is kept without. */
  readonly freelist: number | undefined;
  /** How many pages the database has, meta pages among them. */
  readonly pages: number;
  readonly transaction: bigint;
}

/**
 * Reads both meta pages.
 *
 * @returns The valid one with the later transaction, and what is wrong with the other one.
 * @throws {OsctlError} If none is valid, or one has the header of another page.
 */
export function readMeta(snapshot: OpenSnapshot): {
  readonly meta: Meta;
  /** What is wrong with the other one: `page 1: …`; `undefined` when nothing is. */
  readonly broken: string | undefined;
} {
  const first = metaAt(snapshot, 0, 0);
  const second = secondMeta(snapshot, first);
  if (typeof first !== "string") {
    if (typeof second === "string") return { meta: first, broken: second };
    const later = second.transaction > first.transaction;
    return { meta: later ? second : first, broken: undefined };
  }
  if (typeof second !== "string") return { meta: second, broken: first };
  throw damaged(snapshot, `${first}, and ${second}`);
}

/** Looks for the second meta page at every offset, if the first does not say how large pages are. */
function secondMeta(
  snapshot: OpenSnapshot,
  first: Meta | string,
): Meta | string {
  if (typeof first !== "string") return metaAt(snapshot, 1, first.pageSize);
  const found = pageSizes.map((size) => metaAt(snapshot, 1, size))
    .find((meta) => typeof meta !== "string");
  return found ?? "there is no other meta page";
}

/** Reads one meta page; text says what is wrong with it. */
function metaAt(
  snapshot: OpenSnapshot,
  page: number,
  start: number,
): Meta | string {
  if (start + 80 > snapshot.size) return `page ${page} is missing`;
  const view = readAt(snapshot, start, 80);
  const problem = findProblem(view, page, start);
  if (problem !== undefined) return `page ${page}: ${problem}`;
  // A header is not covered by the checksum, and etcd stops where it is not right.
  const [number, kind] = [view.getBigUint64(0, true), view.getUint16(8, true)];
  if (number !== BigInt(page) || kind !== metaFlag) {
    throw damaged(
      snapshot,
      `page ${page}: its header is that of page ${number}, type ${
        hex(kind, 2)
      }`,
    );
  }
  const freelist = view.getBigUint64(48, true);
  return {
    page,
    pageSize: view.getUint32(24, true),
    root: Number(view.getBigUint64(32, true)),
    freelist: freelist === 2n ** 64n - 1n ? undefined : Number(freelist),
    pages: Number(view.getBigUint64(56, true)),
    transaction: view.getBigUint64(64, true),
  };
}

function findProblem(
  view: DataView,
  page: number,
  start: number,
): string | undefined {
  const [mark, format] = [view.getUint32(16, true), view.getUint32(20, true)];
  if (mark !== magic) {
    return `its magic number is ${hex(mark, 8)}, not ${hex(magic, 8)}`;
  }
  if (format !== version) {
    return `its format is version ${format}, only ${version} is known`;
  }
  const [said, actual] = [view.getBigUint64(72, true), checksum(view)];
  if (said !== actual) {
    return `its checksum is ${hex(actual, 16)}, it says ${hex(said, 16)}`;
  }
  const pageSize = view.getUint32(24, true);
  if (!pageSizes.includes(pageSize) || start !== page * pageSize) {
    return `its page size is ${pageSize}`;
  }
}

/** FNV-1a with 64 bits (RFC 9923). */
function checksum(view: DataView): bigint {
  let hash = 0xcbf29ce484222325n;
  for (let at = 16; at < 72; at++) {
    const byte = BigInt(view.getUint8(at));
    hash = BigInt.asUintN(64, (hash ^ byte) * 0x100000001b3n);
  }
  return hash;
}

function hex(value: number | bigint, digits: number): string {
  return `0x${value.toString(16).padStart(digits, "0")}`;
}
