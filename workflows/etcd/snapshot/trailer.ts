/** The SHA-256 at the end of a snapshot. */

import { createHash } from "node:crypto";
import { unreadable } from "./block_file.ts";

/** Length of the trailer in bytes. */
export const trailerSize = 32;

/** Databases end at a multiple of this, in bytes; what is over is the trailer. */
const sectorSize = 512;

/** Read at once, in bytes. */
const chunkSize = 1024 * 1024;

/** What the trailer says of the bytes before it. */
export type Trailer =
  | {
    /** There is none: the file is a copy of a database, or was cut. */
    readonly state: "absent";
  }
  | {
    /** It is that of the bytes before it. */
    readonly state: "valid";
  }
  | {
    /** The bytes before it, or itself, were changed. */
    readonly state: "wrong";
    /** What it says, hexadecimal. */
    readonly said: string;
    /** SHA-256 of the bytes before it, hexadecimal. */
    readonly actual: string;
  };

/** What gives some bytes at a time, and null at its end. */
export type Readable = Pick<Deno.FsFile, "read">;

/** An open file. */
export interface Opened {
  /** The file. */
  readonly file: Readable;
  /** Its path, for messages. */
  readonly path: string;
  /** Its size in bytes. */
  readonly size: number;
}

/**
 * Compares the trailer with the bytes before it.
 *
 * @param opened The file; it is read from its start.
 * @param signal Stops reading.
 * @throws {OsctlError} If the system does not read the file.
 */
export async function checkTrailer(
  { file, path, size }: Opened,
  signal: AbortSignal,
): Promise<Trailer> {
  if (size % sectorSize !== trailerSize) return { state: "absent" };
  const hash = createHash("sha256");
  const chunk = new Uint8Array(chunkSize);
  for (let left = size - trailerSize; left > 0;) {
    signal.throwIfAborted();
    const part = chunk.subarray(0, Math.min(left, chunk.length));
    await fill(file, part, path);
    hash.update(part);
    left -= part.length;
  }
  const trailer = new Uint8Array(trailerSize);
  await fill(file, trailer, path);
  const [said, actual] = [trailer.toHex(), hash.digest("hex")];
  return said === actual
    ? { state: "valid" }
    : { state: "wrong", said, actual };
}

/** Reads as much as fits; what a file lacks that was cut meanwhile stays as it was. */
async function fill(
  file: Readable,
  into: Uint8Array,
  path: string,
): Promise<void> {
  let filled = 0;
  while (filled < into.length) {
    const count = await read(file, into.subarray(filled), path);
    if (count === null) return;
    filled += count;
  }
}

async function read(
  file: Readable,
  into: Uint8Array,
  path: string,
): Promise<number | null> {
  try {
    return await file.read(into);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
