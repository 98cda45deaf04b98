/** Lock for a file across processes. */

import { OsctlError } from "../../errors.ts";
import { createFile, removeIfThere, unwritable } from "./atomic_file.ts";

/** Options of {@linkcode withFileLock}. */
export interface LockOptions {
  /** Timeout in milliseconds; default 10 s. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs an action while no other process runs one for the same path.
 *
 * Uses a kernel lock on the file `<path>.lock`, so the lock ends with the process that holds it, even after a
 * crash; the file is removed afterwards.
 *
 * @param path Protected file; its directory exists.
 * @returns Result of the action.
 * @throws {ConfigError} If the lock cannot be created.
 * @throws {OsctlError} If another process holds the lock for too long.
 */
export async function withFileLock<T>(
  path: string,
  action: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const name = `${path}.lock`;
  using _lock = await acquire(name, path, options);
  try {
    return await action();
  } finally {
    await removeIfThere(name);
  }
}

async function acquire(
  name: string,
  path: string,
  { waitMs = 10_000, signal }: LockOptions,
): Promise<Deno.FsFile> {
  const deadline = performance.now() + waitMs;
  for (let pauseMs = 2;; pauseMs = Math.min(2 * pauseMs, 50)) {
    signal?.throwIfAborted();
    const file = await tryAcquire(name, path);
    if (file !== undefined) return file;
    if (performance.now() > deadline) throw lockedError(path, waitMs);
    // A wait in the kernel has no timeout and cannot be aborted.
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function tryAcquire(
  name: string,
  path: string,
): Promise<Deno.FsFile | undefined> {
  const file = await open(name, path);
  if (file === undefined) return undefined;
  let ours = false;
  try {
    ours = await file.tryLock(true) && await isAt(name, file);
  } finally {
    if (!ours) file.close();
  }
  return ours ? file : undefined;
}

/** Creates the file, never through a link, or opens an existing one; `undefined` if it was removed meanwhile. */
async function open(
  name: string,
  path: string,
): Promise<Deno.FsFile | undefined> {
  try {
    return await createFile(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) {
      throw unwritable(path, error);
    }
  }
  try {
    return await Deno.open(name, { write: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw unwritable(path, error);
  }
}

// The previous holder removes the file, so the lock may be on a deleted file.
async function isAt(name: string, file: Deno.FsFile): Promise<boolean> {
  try {
    const [here, ours] = await Promise.all([Deno.lstat(name), file.stat()]);
    return here.ino === ours.ino && here.dev === ours.dev;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function lockedError(path: string, waitMs: number): OsctlError {
  return new OsctlError(
    `Cannot change "${path}": another process has been changing it for ${
      waitMs / 1000
    } s`,
    { hint: "Wait until it has finished, or stop it" },
  );
}
