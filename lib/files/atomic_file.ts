/** Files that hold secrets: never half-written, never readable by others. */

import { systemReason } from "./system_reason.ts";
import { writeAll } from "./write_all.ts";
import { ConfigError, OsctlError } from "../../errors.ts";

/**
 * Writes a file with mode 0600 in one step: a reader sees the old or
 * the new content, also after a crash. Missing directories are made with mode
 * 0700. A link is followed, and an existing file keeps its owner.
 *
 * @param content Text (UTF-8) or bytes.
 * @throws {ConfigError} If it exists and must not be replaced, is not a regular file, or the system refuses.
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
 * Writes what a file is to hold beside it, mode 0600 and on the disk, so that taking its
 * place is all that is left to do. Missing directories are made with mode 0700.
 *
 * @param target File, links resolved; it may be missing.
 * @returns Path of the temporary file, which the caller moves or removes.
 * @throws {ConfigError} If the target is not a regular file; errors of the system as they are.
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

/** Path for a temporary file beside another, which nobody can foresee. */
export function temporaryBeside(target: string): string {
  const [directory, name] = splitPath(target);
  const id = crypto.randomUUID().slice(0, 8);
  return `${directory}/.${name}.${id}${temporaryEnd}`;
}

/**
 * Creates a file for writing. In a folder of several users, another one's file or link at this path is not written to.
 *
 * @param mode Who may read it, default its user only.
 * @throws {Deno.errors.AlreadyExists} If anything is there, even a link that leads nowhere.
 */
export function createFile(path: string, mode = 0o600): Promise<Deno.FsFile> {
  return Deno.open(path, { write: true, createNew: true, mode });
}

/**
 * Opens a file that an earlier run has left, to write behind its end.
 *
 * @throws {ConfigError} If it is a link, no regular file, or of another user.
 */
export async function continueFile(path: string): Promise<Deno.FsFile> {
  const file = await Deno.open(path, { append: true });
  // What was opened is compared with what the path is now, so that a link cannot come in between.
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
 * Writes a file that gets its name when it is complete, by way of {@linkcode temporaryBeside}.
 *
 * @param fill Writes the content.
 * @param mode Who may read it, default its user only.
 * @throws What `fill` throws, and errors of the system as they are; nothing is left then.
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

/** Copies a file in the way of {@linkcode writeWhole}. */
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

/** Looks at a path without following links. Returns `undefined` when nothing is there. */
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
 * Refuses a named pipe as output: opening one waits for a reader, which no signal ends.
 *
 * @param path Links in it are not followed, so that `/dev/fd/3` remains possible.
 * @throws {ConfigError} If it is one.
 */
export async function refusePipe(path: string): Promise<void> {
  if ((await readStat(path))?.isFifo !== true) return;
  throw new ConfigError(`Cannot write "${path}": it is a named pipe`, {
    hint: "Choose a file",
  });
}

/**
 * Removes what writers that were killed left beside a file.
 *
 * Only for files whose writers hold a lock, since a writer at work would lose its file too.
 *
 * @param path File, links resolved.
 * @throws {ConfigError} If the system refuses.
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

/** Removes a file; one that is not there is no error. */
export async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Whether an error of the system means that nothing is at a path; below a file there is nothing either. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory;
}

/** Follows links, also to a file that does not exist yet. Returns the path of what the last link points to. */
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
 * Makes the directory of a file that is to be changed under a lock, mode 0700.
 *
 * @returns Path of the file, links resolved.
 * @throws {ConfigError} If the system refuses.
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

/** Splits a path into directory and name. Returns the directory, `.` when the path has none, and the name. */
export function splitPath(path: string): [directory: string, name: string] {
  const slash = Math.max(
    path.lastIndexOf("/"),
    Deno.build.os === "windows" ? path.lastIndexOf("\\") : -1,
  );
  if (slash < 0) return [".", path];
  return [path.slice(0, slash) || "/", path.slice(slash + 1)];
}

/**
 * Turns what the system says to a write into an error for the user.
 *
 * @param error What was caught; deliberate errors and bugs come back as they are.
 */
export function unwritable(path: string, error: unknown): unknown {
  if (error instanceof Deno.errors.AlreadyExists) {
    return new ConfigError(`Cannot write "${path}": it already exists`, {
      hint: "Choose another path, or remove it first",
      cause: error,
    });
  }
  if (!(error instanceof Error) || error instanceof OsctlError) return error;
  // Errors of the system carry its code, as those of nodes do, or its number; all others are not about this file.
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
    // No link: another process has put a file there since it was looked for.
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
    // A hard link fails when the name was taken in the meantime, a rename would not.
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

// A superuser acting for a user must not lock the user out of the own file.
async function keepOwner(path: string, old: Deno.FileInfo): Promise<void> {
  const made = await Deno.lstat(path);
  if (made.uid === old.uid && made.gid === old.gid) return;
  try {
    await Deno.chown(path, old.uid, old.gid);
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
  }
}

/** Writes a folder to the disk: the name of a new file survives a crash only then. */
export async function syncFolder(folder: string): Promise<void> {
  // Elsewhere folders cannot be opened.
  if (Deno.build.os === "windows") return;
  using opened = await Deno.open(folder, { read: true });
  await opened.sync();
}
