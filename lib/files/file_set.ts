/** Files that belong together, such as a certificate and its key: all are written, or none. */

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
 * Finds existing paths, of files or anything else. Returns them in the given order. Throws `ConfigError` if a path
 * cannot be checked.
 */
export async function takenAmong(
  paths: readonly string[],
): Promise<readonly string[]> {
  const taken: string[] = [];
  // In sequence, so that errors always name the same file.
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
 * Writes files with mode 0600. All new content is on disk before the first file changes; if one cannot be
 * replaced, the earlier ones get their old content back.
 *
 * @param files Files in the order of their replacement; no duplicate paths.
 * @throws {ConfigError} If one exists and must not be replaced, is not a regular file, or cannot be written.
 */
export async function writeFilesAtomic(
  files: readonly NewFile[],
  { overwrite = false }: { readonly overwrite?: boolean } = {},
): Promise<void> {
  const staged: Staged[] = [];
  const placed: Staged[] = [];
  try {
    // In sequence, so that errors always name the same file.
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
  readonly path: string;
  readonly target: string;
  readonly temporary: string;
  /** Backup of the old content while other files are written. */
  readonly before: string;
  /** True when the file existed before. */
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
    // A copy, since not every file system supports hard links.
    if (isThere) await Deno.copyFile(target, before);
    // Unlike a rename, a hard link fails if the name was taken in the meantime.
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
