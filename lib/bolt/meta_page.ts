/** Meta pages of a database, with the root of its tree. Format of bbolt, version 2. */

import { type BoltSource, damagedError } from "./bolt_source.ts";

/** Magic number of meta pages. */
export const magic = 0xed0cdaed;
const version = 2;

const metaFlag = 0x04;

/** Page sizes of existing systems, in bytes. */
const pageSizes: readonly number[] = [
  1024,
  2048,
  4096,
  8192,
  16_384,
  32_768,
  65_536,
];

/** A valid meta page. */
export interface Meta {
  readonly page: number;
  /** In bytes. */
  readonly pageSize: number;
  readonly root: number;
  /** Page of the freelist; `undefined` if there is none. */
  readonly freelist: number | undefined;
  readonly pages: number;
  readonly transaction: bigint;
}

/**
 * Reads both meta pages.
 *
 * @returns The valid one with the later transaction, and the problem of the other.
 * @throws {OsctlError} If none is valid, or one has a wrong page header.
 */
export function readMeta(source: BoltSource): {
  readonly meta: Meta;
  /** Problem of the other meta page: `page 1: …`; `undefined` if there is none. */
  readonly broken: string | undefined;
} {
  const first = metaAt(source, 0, 0);
  const second = secondMeta(source, first);
  if (typeof first !== "string") {
    if (typeof second === "string") return { meta: first, broken: second };
    const later = second.transaction > first.transaction;
    return { meta: later ? second : first, broken: undefined };
  }
  if (typeof second !== "string") return { meta: second, broken: first };
  throw damagedError(source, `${first}, and ${second}`);
}

/** Tries every page size for the second meta page, if the first does not tell the size. */
function secondMeta(
  source: BoltSource,
  first: Meta | string,
): Meta | string {
  if (typeof first !== "string") return metaAt(source, 1, first.pageSize);
  const found = pageSizes.map((size) => metaAt(source, 1, size))
    .find((meta) => typeof meta !== "string");
  return found ?? "there is no other meta page";
}

/** Reads one meta page; returns a text with the problem otherwise. */
function metaAt(
  source: BoltSource,
  page: number,
  start: number,
): Meta | string {
  if (start + 80 > source.size) return `page ${page} is missing`;
  const view = source.read(start, 80);
  const problem = findProblem(view, page, start);
  if (problem !== undefined) return `page ${page}: ${problem}`;
  // The checksum does not cover the page header, and etcd fails on a wrong one.
  const [number, kind] = [view.getBigUint64(0, true), view.getUint16(8, true)];
  if (number !== BigInt(page) || kind !== metaFlag) {
    throw damagedError(
      source,
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
  const [said, actual] = [view.getBigUint64(72, true), metaChecksum(view)];
  if (said !== actual) {
    return `its checksum is ${hex(actual, 16)}, it says ${hex(said, 16)}`;
  }
  const pageSize = view.getUint32(24, true);
  if (!pageSizes.includes(pageSize) || start !== page * pageSize) {
    return `its page size is ${pageSize}`;
  }
}

/** FNV-1a with 64 bits (RFC 9923) of a meta page. */
export function metaChecksum(view: DataView): bigint {
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
