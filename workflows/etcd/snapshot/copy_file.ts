/** Files of etcd that come to this machine: whole ones, or none. */

import { createHash } from "node:crypto";
import {
  removeIfThere,
  splitPath,
  unwritable,
} from "../../../config/files/atomic_file.ts";
import { type SnapshotStatus, verifySnapshot } from "./verify.ts";
import { openRegular, unreadable } from "./block_file.ts";

/** A file that is whole. */
export interface CopiedFile {
  /** Its path. */
  readonly file: string;
  /** SHA-256 of all of it, 64 hexadecimal digits. */
  readonly sha256: string;
  /** What is in it. */
  readonly status: SnapshotStatus;
}

/**
 * Writes a file, verifies it, and only then gives it its name; it survives a crash then.
 *
 * @param content What is written.
 * @param path Where to; a file that is there is replaced.
 * @param signal Ends it; nothing is left then.
 * @throws {OsctlError} If it cannot be written, or is damaged.
 */
export async function copyVerified(
  content: AsyncIterable<Uint8Array>,
  path: string,
  signal: AbortSignal,
): Promise<CopiedFile> {
  const part = `${path}.part`;
  try {
    await write(content, part, signal);
    const status = await verifySnapshot(
      part,
      signal,
      `What was to become "${path}"`,
    );
    const sha256 = await hashOf(part, signal);
    await Deno.rename(part, path);
    await syncFolderOf(path);
    return { file: path, sha256, status };
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    await removeIfThere(part);
  }
}

/**
 * Hashes a file of any size.
 *
 * @param path The file.
 * @param signal Ends it.
 * @returns SHA-256, 64 hexadecimal digits.
 * @throws {ConfigError} If it may not be read.
 */
export async function hashOf(
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of fileBytes(path, signal)) hash.update(bytes);
  return hash.digest("hex");
}

/**
 * Reads a file piece by piece.
 *
 * @param path The file.
 * @param signal Ends it.
 * @throws {ConfigError} If it may not be read, or is none.
 */
export async function* fileBytes(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { file: opened } = await openRegular(path);
  using file = opened;
  const buffer = new Uint8Array(1 << 18);
  try {
    while (true) {
      signal.throwIfAborted();
      const size = await file.read(buffer);
      if (size === null) return;
      yield buffer.subarray(0, size);
    }
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * When a file was last written.
 *
 * @param path The file.
 * @returns ISO 8601; `undefined` when the system does not tell.
 */
export async function writtenAt(path: string): Promise<string | undefined> {
  return (await Deno.stat(path)).mtime?.toISOString();
}

async function write(
  content: AsyncIterable<Uint8Array>,
  part: string,
  signal: AbortSignal,
): Promise<void> {
  using file = await Deno.open(part, {
    write: true,
    create: true,
    truncate: true,
    mode: 0o600,
  });
  for await (const bytes of content) {
    signal.throwIfAborted();
    let rest = bytes;
    while (rest.length > 0) rest = rest.subarray(await file.write(rest));
  }
  await file.sync();
}

async function syncFolderOf(path: string): Promise<void> {
  // Elsewhere folders cannot be opened.
  if (Deno.build.os === "windows") return;
  using folder = await Deno.open(splitPath(path)[0]);
  await folder.sync();
}
