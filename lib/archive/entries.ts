/** Streaming reader for `.tar.gz` archives. */

import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
// @ts-types="@types/tar-stream"
import { type Entry, extract, type Headers } from "tar-stream";
import { OsctlError } from "../../errors.ts";
import type { UnpackBounds } from "./unpack_bounds.ts";

type ArchiveEntryKind =
  | "file"
  | "folder"
  | "symlink"
  | "hardlink"
  | "device"
  | "pipe"
  | "unknown";

/** One entry of an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly kind: ArchiveEntryKind;
  /** Permission bits as in the archive; `NaN` when unreadable. */
  readonly mode: number;
  /** Target of a link, else empty. */
  readonly target: string;
  /** Content; skipped unless read before the next entry. */
  readonly body: AsyncIterable<Uint8Array>;
}

const kinds: Readonly<Record<string, ArchiveEntryKind>> = {
  "file": "file",
  "contiguous-file": "file",
  "directory": "folder",
  "symlink": "symlink",
  "link": "hardlink",
  "character-device": "device",
  "block-device": "device",
  "fifo": "pipe",
};

/** Size of a compressed chunk in bytes. */
const blockSize = 64 * 1024;

/** Size of an unpacked chunk in bytes, at any compression ratio. */
const chunkSize = 64 * 1024;

/** An archive ends with two empty blocks. */
const endMark = 2 * 512;

/**
 * Reads an archive.
 *
 * @param archive Bytes of the `.tar.gz`.
 * @param bounds Limits for unpacking; default none.
 * @returns Entries in archive order.
 * @throws {RefusedError} If a limit is exceeded.
 * @throws {OsctlError} If it is truncated or damaged; all earlier bodies were complete.
 * @throws Errors of `archive`.
 */
export async function* archiveEntries(
  archive: AsyncIterable<Uint8Array>,
  bounds?: UnpackBounds,
): AsyncGenerator<ArchiveEntry> {
  let failure: { readonly error: unknown } | undefined;

  async function* source() {
    try {
      for await (const block of blocks(archive, blockSize)) {
        bounds?.packed(block.length);
        yield block;
      }
    } catch (error) {
      failure = { error };
      throw error;
    }
  }

  /** Errors of the source take precedence over errors in the archive. */
  function raise(cause: unknown): never {
    if (failure !== undefined) throw failure.error;
    throw cause instanceof OsctlError ? cause : damagedError(cause);
  }

  const tar = extract();
  const reading = unpack(source(), tar, bounds);
  reading.catch(() => {}); // thrown below, or irrelevant after the reader stopped
  let end = 0;
  try {
    for await (const entry of tar) {
      end = findEnd(entry);
      yield toEntry(entry, raise);
      // An unread body is skipped, otherwise the next entry never arrives.
      entry.resume();
    }
    const { length, zeros } = await reading;
    // Trailing zeros of a file are no end mark; the padding of its last block is too short to matter.
    if (Math.min(zeros, length - end) < endMark) throw damagedError();
  } catch (cause) {
    raise(cause);
  } finally {
    tar.destroy();
  }
}

type Extract = ReturnType<typeof extract>;

interface Tail {
  /** Total length in bytes. */
  readonly length: number;
  /** Trailing zero bytes, counted at least up to the length of an end mark. */
  readonly zeros: number;
}

async function unpack(
  packed: AsyncIterable<Uint8Array>,
  tar: Extract,
  bounds: UnpackBounds | undefined,
): Promise<Tail> {
  // DecompressionStream takes three times the processor time, and its chunks have no bound.
  const unpacked = createGunzip({ chunkSize });
  // A pending read would wait for the node even when no result is needed.
  tar.once("close", () => unpacked.destroy());
  const feeding = pipeline(packed, unpacked);
  feeding.catch(() => {}); // thrown by the loop
  let length = 0;
  let zeros = 0;
  try {
    for await (const value of unpacked) {
      if (tar.destroyed) return { length, zeros };
      length += value.length;
      const allowed = bounds?.unpacked(value.length);
      if (allowed !== undefined) await allowed;
      zeros = trailingZeros(value, zeros);
      if (!tar.write(value)) await untilDrained(tar);
    }
    await feeding;
    tar.end();
    return { length, zeros };
  } catch (error) {
    tar.destroy(error instanceof Error ? error : undefined);
    throw error;
  }
}

/** Waits until the archive accepts more data or is closed. */
function untilDrained(tar: Extract): Promise<void> {
  return new Promise((resolve) => {
    function finish() {
      tar.off("drain", finish);
      tar.off("close", finish);
      resolve();
    }
    tar.on("drain", finish);
    tar.on("close", finish);
  });
}

function trailingZeros(chunk: Uint8Array, before: number): number {
  const end = chunk.length;
  let at = end;
  while (at > 0 && end - at < endMark && chunk[at - 1] === 0) at--;
  return at === 0 ? before + end : end - at;
}

/** Byte offset of the end of an entry's content in the archive. */
function findEnd({ header }: Entry): number {
  // The types omit the offset of the content.
  const { byteOffset, type, size = 0 } = header as Headers & {
    readonly byteOffset: number;
  };
  // Folders may have a size in their header, but never content.
  return type === "directory" ? byteOffset : byteOffset + size;
}

function toEntry(
  entry: Entry,
  raise: (cause: unknown) => never,
): ArchiveEntry {
  const { name, type, mode, linkname, size = 0 }: Headers = entry.header;
  // Old archives mark folders only by a trailing slash.
  const folder = type === "file" && name.endsWith("/");
  return {
    name,
    kind: folder ? "folder" : kinds[type ?? ""] ?? "unknown",
    mode: mode ?? NaN,
    target: linkname ?? "",
    body: readBody(entry, size, raise),
  };
}

async function* readBody(
  entry: AsyncIterable<Uint8Array>,
  size: number,
  raise: (cause: unknown) => never,
): AsyncGenerator<Uint8Array> {
  let missing = size;
  try {
    for await (const chunk of entry) {
      missing -= chunk.length;
      yield chunk;
    }
  } catch (cause) {
    raise(cause);
  }
  // A destroyed stream ends as if it were complete.
  if (missing > 0) raise(damagedError());
}

function damagedError(cause?: unknown): OsctlError {
  return new OsctlError("The archive is truncated or damaged", { cause });
}

/**
 * Splits and joins chunks.
 *
 * Small chunks are slow: every step has a fixed cost.
 *
 * @param size Size of a block in bytes.
 * @returns Blocks of this size, the last one may be smaller; chunks that fit are not copied.
 */
export async function* blocks(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let block = new Uint8Array(size);
  let filled = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (rest.length > 0) {
      if (filled === 0 && rest.length >= size) {
        // Bytes from the network are never shared between threads.
        yield rest.subarray(0, size) as Uint8Array<ArrayBuffer>;
        rest = rest.subarray(size);
        continue;
      }
      const taken = rest.subarray(0, size - filled);
      block.set(taken, filled);
      filled += taken.length;
      rest = rest.subarray(taken.length);
      if (filled < size) continue;
      yield block;
      [block, filled] = [new Uint8Array(size), 0];
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}
