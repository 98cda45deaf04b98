/** What is in a `.tar.gz` archive, read as it comes. */

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
  /** Name as the archive has it; nothing is checked. */
  readonly name: string;
  readonly kind: ArchiveEntryKind;
  /** Permission bits as the archive has them; `NaN` when they are unreadable. */
  readonly mode: number;
  /** What a link leads to, else empty. */
  readonly target: string;
  /** Content; to be read before the next entry, and omitted if it is not. */
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

/** Compressed bytes unpacked at once. */
const blockSize = 64 * 1024;

/** Unpacked bytes passed on at once, however well they were packed. */
const chunkSize = 64 * 1024;

/** Two empty blocks stand at the end of an archive. */
const endMark = 2 * 512;

/**
 * Reads an archive.
 *
 * @param archive Bytes of the `.tar.gz`.
 * @param bounds How far it may be unpacked; default, to its end.
 * @returns Entries in order.
 * @throws {RefusedError} If the bounds say so.
 * @throws {OsctlError} If it is truncated or damaged; every body before that was whole.
 * @throws What `archive` throws.
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

  /** What the archive itself throws comes first, then what is wrong with it. */
  function raise(cause: unknown): never {
    if (failure !== undefined) throw failure.error;
    throw cause instanceof OsctlError ? cause : damaged(cause);
  }

  const tar = extract();
  const reading = unpack(source(), tar, bounds);
  reading.catch(() => {}); // raised below, or of no interest once the reader left
  let end = 0;
  try {
    for await (const entry of tar) {
      end = findEnd(entry);
      yield toEntry(entry, raise);
      // What the reader left is skipped, else the next entry never comes.
      entry.resume();
    }
    const { length, zeros } = await reading;
    // Zeros at the end of a file are not an end mark; those that fill its last block are too few to matter.
    if (Math.min(zeros, length - end) < endMark) throw damaged();
  } catch (cause) {
    raise(cause);
  } finally {
    tar.destroy();
  }
}

type Extract = ReturnType<typeof extract>;

interface Tail {
  /** All of it, in bytes. */
  readonly length: number;
  /** Bytes at its end that are zero, counted at least as far as an end mark reaches. */
  readonly zeros: number;
}

async function unpack(
  packed: AsyncIterable<Uint8Array>,
  tar: Extract,
  bounds: UnpackBounds | undefined,
): Promise<Tail> {
  // DecompressionStream takes three times the processor time, and its chunks have no bound.
  const unpacked = createGunzip({ chunkSize });
  // A pending read would wait for the node, even when the answer is not wanted.
  tar.once("close", () => unpacked.destroy());
  const feeding = pipeline(packed, unpacked);
  feeding.catch(() => {}); // raised by the loop
  let length = 0;
  let zeros = 0;
  try {
    for await (const value of unpacked) {
      if (tar.destroyed) return { length, zeros };
      length += value.length;
      const allowed = bounds?.unpacked(value.length);
      if (allowed !== undefined) await allowed;
      zeros = trailingZeros(value, zeros);
      if (!tar.write(value)) await drained(tar);
    }
    await feeding;
    tar.end();
    return { length, zeros };
  } catch (error) {
    tar.destroy(error instanceof Error ? error : undefined);
    throw error;
  }
}

/** Waits until the archive takes more, or nobody reads it any more. */
function drained(tar: Extract): Promise<void> {
  return new Promise((resolve) => {
    function done() {
      tar.off("drain", done);
      tar.off("close", done);
      resolve();
    }
    tar.on("drain", done);
    tar.on("close", done);
  });
}

function trailingZeros(chunk: Uint8Array, before: number): number {
  const end = chunk.length;
  let at = end;
  while (at > 0 && end - at < endMark && chunk[at - 1] === 0) at--;
  return at === 0 ? before + end : end - at;
}

/** Where the content of an entry ends in the archive, in bytes. */
function findEnd({ header }: Entry): number {
  // The types omit where the content begins.
  const { byteOffset, type, size = 0 } = header as Headers & {
    readonly byteOffset: number;
  };
  // A folder may tell of a size, and has no content anyway.
  return type === "directory" ? byteOffset : byteOffset + size;
}

function toEntry(
  entry: Entry,
  raise: (cause: unknown) => never,
): ArchiveEntry {
  const { name, type, mode, linkname, size = 0 }: Headers = entry.header;
  // Old archives mark folders by the end of their name alone.
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
  // A stream that was taken down ends as if it were complete.
  if (missing > 0) raise(damaged());
}

function damaged(cause?: unknown): OsctlError {
  return new OsctlError("The archive is truncated or damaged", { cause });
}

/**
 * Cuts and joins chunks.
 *
 * Small chunks cost most of the time where every step has its own price.
 *
 * @param size Size of a block in bytes.
 * @returns Blocks of this size, the last one may be smaller; chunks that fit are passed on uncopied.
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
