import {
  type BoltSource,
  damagedError,
} from "../../../lib/bolt/bolt_source.ts";
import { systemReason } from "../../../lib/files/system_reason.ts";
import { ConfigError, OsctlError } from "../../../errors.ts";

/** An open file, readable as a database. */
export interface OpenSnapshot extends BoltSource {
  readonly file: Deno.FsFile;
  readonly path: string;
}

/** Makes a database of an open file; its size may be that of the readable part. */
export function openSnapshot(
  opened: Omit<OpenSnapshot, "read">,
): OpenSnapshot {
  return { ...opened, read: (at, length) => readAt(opened, at, length) };
}

/** Reads a range. Throws `OsctlError` if the file was truncated meanwhile, or reading fails. */
function readAt(
  snapshot: Omit<OpenSnapshot, "read">,
  at: number,
  length: number,
): DataView<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  try {
    snapshot.file.seekSync(at, Deno.SeekMode.Start);
    while (filled < length) {
      const count = snapshot.file.readSync(bytes.subarray(filled));
      if (count === null) break;
      filled += count;
    }
  } catch (error) {
    throw unreadable(snapshot.path, error);
  }
  if (filled === length) return new DataView(bytes.buffer);
  throw damagedError(
    snapshot,
    `it ends at byte ${at + filled} of ${snapshot.size}`,
  );
}

/**
 * Reads an open file in chunks; each chunk is valid until the next.
 *
 * @param file The file, at its current position.
 * @param pieceSize Maximum chunk size in bytes.
 * @throws {OsctlError} If reading fails.
 */
export async function* readPieces(
  file: Pick<Deno.FsFile, "read">,
  path: string,
  signal: AbortSignal,
  pieceSize = 1 << 18,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(pieceSize);
  while (true) {
    signal.throwIfAborted();
    const size = await file.read(buffer).catch((error) => {
      throw unreadable(path, error);
    });
    if (size === null) return;
    yield buffer.subarray(0, size);
  }
}

/** Opens a regular file; the caller closes it. Throws `ConfigError` if it cannot be read, or is not a regular file. */
export async function openRegular(path: string): Promise<{
  readonly file: Deno.FsFile;
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
    throw new ConfigError(`Cannot read "${path}": ${systemReason(cause)}`, {
      cause,
    });
  }
  file.close();
  throw new ConfigError(`Cannot read "${path}": it is not a regular file`);
}

/** Wraps an error of the system; others are returned unchanged. */
function unreadable(path: string, cause: unknown): unknown {
  if (!(cause instanceof Error && "code" in cause)) return cause;
  return new OsctlError(`Cannot read "${path}": ${systemReason(cause)}`, {
    cause,
  });
}
