/** Files that belong together, such as a certificate and its key: all are written or none. */

import {
  readStat,
  removeIfThere,
  resolveLinks,
  stageFile,
  unwritable,
} from "./atomic_file.ts";

/** A file to write. */
export interface NewFile {
  readonly path: string;
  /** Text (UTF-8) or bytes. */
  readonly content: string | Uint8Array;
}

/**
 * Finds out which paths are taken, also by something that is not a file. Returns those where something
 * is, in the order given. Throws `ConfigError` if the system does not tell.
 */
export async function takenAmong(
  paths: readonly string[],
): Promise<readonly string[]> {
  const taken: string[] = [];
  // One after the other, so that the same file is named every time.
  for (const path of paths) {
    try {
      if (await readStat(path) !== undefined) taken.push(path);
    } catch (error) {
      throw unwritable(path, error);
    }
  }
  return taken;
}

/**
 * Writes files with mode 0600. New content is on the disk in full before the first file
 * changes; when one cannot be put in its place, those before it get back what they held.
 *
 * @param files Files, in the order they are put in place; no path twice.
 * @throws {ConfigError} If one exists and must not be replaced, is not a regular file, or the system refuses.
 */
export async function writeFilesAtomic(
  files: readonly NewFile[],
  { overwrite = false }: { readonly overwrite?: boolean } = {},
): Promise<void> {
  const staged: Staged[] = [];
  const placed: Staged[] = [];
  try {
    // One after the other, so that the same file is named every time.
    for (const file of files) staged.push(await stage(file, overwrite));
    for (const one of staged) {
      await place(one, overwrite);
      placed.push(one);
    }
  } catch (error) {
    for (const one of placed.toReversed()) await undo(one);
    throw error;
  } finally {
    for (const { temporary, before } of staged) {
      await removeIfThere(temporary);
      await removeIfThere(before);
    }
  }
}

interface Staged {
  /** What the user calls the file. */
  readonly path: string;
  readonly target: string;
  readonly temporary: string;
  /** Where its old content is kept while others are written. */
  readonly before: string;
  /** Whether there is an old content. */
  readonly isThere: boolean;
}

async function stage(
  { path, content }: NewFile,
  overwrite: boolean,
): Promise<Staged> {
  const bytes = typeof content === "string"
    ? new TextEncoder().encode(content)
    : content;
  try {
    const target = overwrite ? await resolveLinks(path) : path;
    const isThere = await readStat(target) !== undefined;
    if (isThere && !overwrite) throw new Deno.errors.AlreadyExists(target);
    const temporary = await stageFile(target, bytes);
    return { path, target, temporary, before: `${temporary}.before`, isThere };
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function place(
  { path, target, temporary, before, isThere }: Staged,
  overwrite: boolean,
): Promise<void> {
  try {
    // A copy, since not every file system knows hard links.
    if (isThere) await Deno.copyFile(target, before);
    // A hard link fails when the name was taken in the meantime, a rename would not.
    if (overwrite) await Deno.rename(temporary, target);
    else await Deno.link(temporary, target);
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function undo({ target, before, isThere }: Staged): Promise<void> {
  if (isThere) await Deno.rename(before, target);
  else await removeIfThere(target);
}
