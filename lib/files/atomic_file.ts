/** Files with secrets: written atomically and readable only by their owner. */

import { systemReason } from "./system_reason.ts";
import { writeAll } from "./write_all.ts";
import { ConfigError, OsctlError } from "../../errors.ts";

/**
 * Writes a file atomically with mode 0600: a reader sees either the old or the new content, also after a crash.
 * Creates missing directories with mode 0700. Follows a link; keeps the owner of an existing file.
 *
 * @param content Text (UTF-8) or bytes.
 * @throws {ConfigError} If it exists and must not be replaced, is not a regular file, or cannot be written.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  { overwrite = true }: { readonly overwrite?: boolean } = {},
): Promise<void> {
  const bytes = typeof content === "string"
    ? new TextEncoder().encode(content)
    : content;
  try {
    const target = overwrite ? await resolveLinks(path) : path;
    await place(target, bytes, overwrite);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/**
 * Writes new content to a temporary file beside the target, mode 0600 and flushed to disk; only the rename remains.
 * Creates missing directories with mode 0700.
 *
 * @param target File, with links resolved; it may be missing.
 * @returns Path of the temporary file, which the caller renames or removes.
 * @throws {ConfigError} If the target is not a regular file; system errors are passed on.
 */
export async function stageFile(
  target: string,
  bytes: Uint8Array,
): Promise<string> {
  const old = await readStat(target);
  if (old !== undefined && !old.isFile) {
    throw new ConfigError(`Cannot write "${target}": it is not a regular file`);
  }
  const [directory] = splitPath(target);
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  const temporary = temporaryBeside(target);
  try {
    await writeDurably(temporary, bytes);
    if (old !== undefined) await keepOwner(temporary, old);
    return temporary;
  } catch (error) {
    await removeIfThere(temporary);
    throw error;
  }
}

/** Unpredictable path for a temporary file beside another. */
export function temporaryBeside(target: string): string {
  const [directory, name] = splitPath(target);
  const id = crypto.randomUUID().slice(0, 8);
  return `${directory}/.${name}.${id}${temporaryEnd}`;
}

/**
 * Creates a file for writing. Never writes through a file or link that another user put at this path.
 *
 * @param mode Permissions, default owner only.
 * @throws {Deno.errors.AlreadyExists} If the path exists, even as a dangling link.
 */
export function createFile(path: string, mode = 0o600): Promise<Deno.FsFile> {
  return Deno.open(path, { write: true, createNew: true, mode });
}

/**
 * Opens a file of an earlier run for appending.
 *
 * @throws {ConfigError} If it is a link, not a regular file, or owned by another user.
 */
export async function continueFile(path: string): Promise<Deno.FsFile> {
  const file = await Deno.open(path, { append: true });
  // Compares the open file with the path, so that it cannot be swapped for a link.
  const [opened, there] = await Promise.all([file.stat(), readStat(path)]);
  const isOwn = opened.isFile && there?.isSymlink === false &&
    there.ino === opened.ino && there.dev === opened.dev &&
    (opened.uid === null || opened.uid === Deno.uid()) &&
    (opened.nlink ?? 1) === 1;
  if (isOwn) return file;
  file.close();
  throw new ConfigError(
    `Cannot continue "${path}": it is a link, or belongs to another user`,
    { hint: "Remove it, then try again" },
  );
}

/**
 * Writes a file that gets its name only when complete, through {@linkcode temporaryBeside}.
 *
 * @param fill Writes the content.
 * @param mode Permissions, default owner only.
 * @throws Errors of `fill` and of the system; nothing is left behind.
 */
export async function writeWhole(
  target: string,
  fill: (file: Deno.FsFile) => Promise<void>,
  mode?: number,
): Promise<void> {
  const temporary = temporaryBeside(target);
  try {
    {
      using file = await createFile(temporary, mode);
      await fill(file);
      await file.sync();
    }
    await Deno.rename(temporary, target);
  } finally {
    await removeIfThere(temporary);
  }
}

/** Copies a file like {@linkcode writeWhole}. */
export async function copyWhole(
  from: string,
  target: string,
  mode?: number,
): Promise<void> {
  await writeWhole(target, async (file) => {
    using source = await Deno.open(from);
    for await (const bytes of source.readable) await writeAll(file, bytes);
  }, mode);
}

/** Reads the status of a path without following links. Returns `undefined` if nothing exists there. */
export async function readStat(
  path: string,
): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Refuses a named pipe as output: opening one blocks until a reader opens it, and no signal interrupts that.
 *
 * @param path Links are not followed, so that `/dev/fd/3` remains possible.
 * @throws {ConfigError} If it is a named pipe.
 */
export async function refusePipe(path: string): Promise<void> {
  if ((await readStat(path))?.isFifo !== true) return;
  throw new ConfigError(`Cannot write "${path}": it is a named pipe`, {
    hint: "Choose a file",
  });
}

/**
 * Removes temporary files that killed writers left beside a file.
 *
 * Only for files whose writers hold a lock: an active writer would lose its file as well.
 *
 * @param path File, with links resolved.
 * @throws {ConfigError} If a file cannot be removed.
 */
export async function removeLeftovers(path: string): Promise<void> {
  const [directory, name] = splitPath(path);
  try {
    for await (const entry of Deno.readDir(directory)) {
      const left = entry.isFile && entry.name.startsWith(`.${name}.`) &&
        entry.name.endsWith(temporaryEnd);
      if (left) await removeIfThere(`${directory}/${entry.name}`);
    }
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Removes a file if it exists. */
export async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Reports whether a system error means that a path does not exist, also when its parent is a file. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory;
}

/** Follows links, also to a missing file. Returns the path of the last target. */
export async function resolveLinks(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const link = await readLink(path);
  if (link === undefined) return path;
  const absolute = /^(\/|[A-Za-z]:|\\)/.test(link);
  return resolveLinks(absolute ? link : `${splitPath(path)[0]}/${link}`);
}

/**
 * Creates the directory of a file to be changed under a lock, mode 0700.
 *
 * @returns Path of the file, with links resolved.
 * @throws {ConfigError} If it cannot be created.
 */
export async function prepareTarget(path: string): Promise<string> {
  try {
    const target = await resolveLinks(path);
    const [directory] = splitPath(target);
    await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
    return target;
  } catch (error) {
    throw unwritable(path, error);
  }
}

/**
 * Checks that a file can be created, before its content is fetched.
 *
 * @throws {ConfigError} If it is a directory, or its directory is missing or read-only.
 */
export async function requireWritable(path: string): Promise<void> {
  try {
    const target = await resolveLinks(path);
    const there = await readStat(target);
    if (there?.isDirectory) {
      throw new ConfigError(`Cannot write "${path}": it is a directory`);
    }
    if (there !== undefined && !there.isFile) return;
    const probe = temporaryBeside(target);
    (await createFile(probe)).close();
    await Deno.remove(probe);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Splits a path into directory and name. Returns the directory, `.` when the path has none, and the name. */
export function splitPath(path: string): [directory: string, name: string] {
  const slash = Math.max(
    path.lastIndexOf("/"),
    Deno.build.os === "windows" ? path.lastIndexOf("\\") : -1,
  );
  if (slash < 0) return [".", path];
  return [path.slice(0, slash) || "/", path.slice(slash + 1)];
}

/** Folder of a file; empty for the working directory. */
export function findFolder(file: string): string {
  const [folder] = splitPath(file);
  return folder === "." ? "" : folder;
}

/** Joins a folder, empty for the working directory, and a path in it; an absolute one stays. */
export function inFolder(folder: string, path: string): string {
  if (path.startsWith("/") || folder === "") return path || ".";
  return path === "" ? folder : `${folder}/${path}`;
}

/**
 * Converts a write error into an error for the user.
 *
 * @param error Caught error; expected errors and bugs are returned unchanged.
 */
export function unwritable(path: string, error: unknown): unknown {
  if (error instanceof Deno.errors.AlreadyExists) {
    return new ConfigError(`Cannot write "${path}": it already exists`, {
      hint: "Choose another path, or remove it first",
      cause: error,
    });
  }
  if (!(error instanceof Error) || error instanceof OsctlError) return error;
  // System errors have a code (also those from nodes) or a number; other errors are not about this file.
  const code = "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
  if (code === undefined && !/ \(os error \d+\)/.test(error.message)) {
    return error;
  }
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return new ConfigError(`Cannot write "${path}": ${systemReason(error)}`, {
    hint: isFull
      ? "Free disk space, then try again"
      : /\/\.os\/config\b/.test(path)
      ? "Name another client configuration with --osconfig FILE, or with OSCONFIG"
      : path.includes("/.os/")
      ? "Set HOME, or OS_HOME instead of ~/.os, to a directory that you can write to"
      : "Choose a directory that you can write to",
    cause: error,
  });
}

const temporaryEnd = ".tmp";

async function readLink(path: string): Promise<string | undefined> {
  try {
    return await Deno.readLink(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    // No hard link: another process has created the file since the check.
    const code = error instanceof Error && "code" in error && error.code;
    if (code === "EINVAL") return undefined;
    throw error;
  }
}

async function place(
  target: string,
  bytes: Uint8Array,
  overwrite: boolean,
): Promise<void> {
  if (!overwrite && await readStat(target) !== undefined) {
    throw new Deno.errors.AlreadyExists(target);
  }
  const temporary = await stageFile(target, bytes);
  try {
    // Unlike a rename, a hard link fails if the name was taken in the meantime.
    if (overwrite) await Deno.rename(temporary, target);
    else await Deno.link(temporary, target);
  } finally {
    await removeIfThere(temporary);
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  using file = await createFile(path);
  await writeAll(file, bytes);
  await file.sync();
}

// A superuser acting for a user must not lock them out of their own file.
async function keepOwner(path: string, old: Deno.FileInfo): Promise<void> {
  const made = await Deno.lstat(path);
  if (made.uid === old.uid && made.gid === old.gid) return;
  try {
    await Deno.chown(path, old.uid, old.gid);
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
  }
}

/** Flushes a folder to disk: only then does the name of a new file survive a crash. */
export async function syncFolder(folder: string): Promise<void> {
  // Other systems cannot open folders.
  if (Deno.build.os === "windows") return;
  using opened = await Deno.open(folder, { read: true });
  await opened.sync();
}

/** A folder as it is written, without slashes at its end. */
export function trimSlashes(folder: string): string {
  return folder.replace(/(?<=.)\/+$/, "");
}
