/** Random access to a file of any size, with little memory. */

import { ConfigError, OsctlError } from "../../../errors.ts";
import { damaged, type Source } from "./damage.ts";

/** What is read at once, in bytes. */
const blockSize = 64 * 1024;

/** How many blocks are kept. */
const mostBlocks = 64;

/** Sees some bytes; the view is only valid during the call. */
export type Take = (bytes: DataView, from: number, to: number) => void;

/** The first bytes of an open file. Numbers are little endian. */
export class BlockFile {
  /** How damage is told. */
  readonly source: Source;
  /** How many bytes may be read. */
  readonly size: number;
  readonly #file: Deno.FsFile;
  readonly #blocks = new Map<number, DataView<ArrayBuffer>>();
  #start = 0;
  #block = new DataView(new ArrayBuffer(0));

  /**
   * Takes an open file.
   *
   * @param file The file; whoever opened it closes it.
   * @param size How many bytes of it may be read.
   * @param source How damage is told.
   */
  constructor(file: Deno.FsFile, size: number, source: Source) {
    this.#file = file;
    this.size = size;
    this.source = source;
  }

  /**
   * Reads one byte.
   *
   * @param at Offset in bytes.
   * @throws {OsctlError} If it is not there or cannot be read.
   */
  uint8(at: number): number {
    const place = at - this.#start;
    return place >= 0 && place < this.#block.byteLength
      ? this.#block.getUint8(place)
      : this.#blockOf(at).getUint8(at - this.#start);
  }

  /**
   * Reads two bytes as a number.
   *
   * @param at Offset in bytes.
   * @throws {OsctlError} If it is not there or cannot be read.
   */
  uint16(at: number): number {
    return this.uint8(at) + 0x100 * this.uint8(at + 1);
  }

  /**
   * Reads four bytes as a number.
   *
   * @param at Offset in bytes.
   * @throws {OsctlError} If it is not there or cannot be read.
   */
  uint32(at: number): number {
    const place = at - this.#start;
    return place >= 0 && place + 4 <= this.#block.byteLength
      ? this.#block.getUint32(place, true)
      : this.uint16(at) + 0x1_0000 * this.uint16(at + 2);
  }

  /**
   * Reads eight bytes as a number, which is rounded from 2^53 on.
   *
   * @param at Offset in bytes.
   * @throws {OsctlError} If it is not there or cannot be read.
   */
  uint64(at: number): number {
    return this.uint32(at) + 2 ** 32 * this.uint32(at + 4);
  }

  /**
   * Copies some bytes.
   *
   * @param at Offset in bytes.
   * @param length How many.
   * @throws {OsctlError} If they are not there or cannot be read.
   */
  bytes(at: number, length: number): Uint8Array<ArrayBuffer> {
    const place = at - this.#start;
    if (place >= 0 && place + length <= this.#block.byteLength) {
      return new Uint8Array(this.#block.buffer.slice(place, place + length));
    }
    const copy = new Uint8Array(length);
    let filled = 0;
    this.each(at, length, ({ buffer }, from, to) => {
      copy.set(new Uint8Array(buffer, from, to - from), filled);
      filled += to - from;
    });
    return copy;
  }

  /**
   * Shows some bytes piece by piece.
   *
   * @param at Offset in bytes.
   * @param length How many.
   * @param take Sees the pieces in order.
   * @throws {OsctlError} If they are not there or cannot be read.
   */
  each(at: number, length: number, take: Take): void {
    const end = at + length;
    let next = at;
    while (next < end) {
      const block = this.#blockOf(next);
      const from = next - this.#start;
      const to = Math.min(block.byteLength, end - this.#start);
      take(block, from, to);
      next += to - from;
    }
  }

  /** Makes the block with a byte the present one. */
  #blockOf(at: number): DataView<ArrayBuffer> {
    if (!(at >= 0 && at < this.size)) {
      throw damaged(this.source, `byte ${at} of ${this.size} is needed`);
    }
    const start = at - at % blockSize;
    const known = this.#blocks.get(start);
    this.#block = known ?? this.#load(start);
    this.#start = start;
    if (known === undefined) this.#blocks.set(start, this.#block);
    return this.#block;
  }

  #load(start: number): DataView<ArrayBuffer> {
    const length = Math.min(blockSize, this.size - start);
    const buffer = this.#discarded() ?? new ArrayBuffer(blockSize);
    const bytes = new Uint8Array(buffer, 0, length);
    const read = readAt(this.#file, start, bytes, this.source.path);
    if (read === length) return new DataView(buffer, 0, length);
    const end = start + read;
    throw damaged(this.source, `it ends at byte ${end} of ${this.size}`);
  }

  /** Memory of the oldest block, if there are as many as may be. */
  #discarded(): ArrayBuffer | undefined {
    if (this.#blocks.size < mostBlocks) return undefined;
    for (const [start, { buffer }] of this.#blocks) {
      this.#blocks.delete(start);
      return buffer;
    }
  }
}

function readAt(
  file: Deno.FsFile,
  start: number,
  into: Uint8Array,
  path: string,
): number {
  let filled = 0;
  try {
    file.seekSync(start, Deno.SeekMode.Start);
    while (filled < into.length) {
      const count = file.readSync(into.subarray(filled));
      if (count === null) break;
      filled += count;
    }
  } catch (cause) {
    throw unreadable(path, cause);
  }
  return filled;
}

/**
 * Opens a regular file.
 *
 * @param path Path of the file.
 * @throws {ConfigError} If it may not be read, or is none.
 */
export async function openRegular(path: string): Promise<{
  /** The file; the caller closes it. */
  readonly file: Deno.FsFile;
  /** Its size in bytes. */
  readonly size: number;
}> {
  let file: Deno.FsFile | undefined;
  try {
    file = await Deno.open(path);
    const { isFile, size } = await file.stat();
    if (isFile) return { file, size };
  } catch (cause) {
    file?.close();
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    throw new ConfigError(`Cannot read "${path}": ${cause.message}`, { cause });
  }
  file.close();
  throw new ConfigError(`Cannot read "${path}": it is no regular file`);
}

/**
 * Makes the error for a file that the system does not read.
 *
 * @param path Path of the file.
 * @param cause What the system raised; anything else is returned as it is.
 */
export function unreadable(path: string, cause: unknown): unknown {
  if (!(cause instanceof Error && "code" in cause)) return cause;
  return new OsctlError(`Cannot read "${path}": ${cause.message}`, { cause });
}
