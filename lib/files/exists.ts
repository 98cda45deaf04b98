/** Lookups at a path: existence, an optional file, a free backup name, files of a folder. */

import { isAbsent } from "./atomic_file.ts";
import { systemReason } from "./system_reason.ts";
import { ConfigError } from "../../errors.ts";
import { takenAmong } from "./file_set.ts";

/** Reports whether a path exists, also if it is not readable. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    return !isAbsent(error);
  }
}

/** Reads a text file; `undefined` if there is none. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Reports whether a path is a folder; false if it is not readable. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch {
    return false;
  }
}

/**
 * Finds a free name beside a file: `<path>.<date and time>.bak`.
 *
 * @param now Current time; written in UTC: `20260102T030405Z`.
 * @throws {ConfigError} If the path cannot be checked.
 */
export async function backupPath(path: string, now: Date): Promise<string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  for (let count = 1;; count++) {
    const name = `${path}.${time}${count > 1 ? `-${count}` : ""}.bak`;
    // Tries names in order until one is free.
    if ((await takenAmong([name])).length === 0) return name;
  }
}

/**
 * Lists the files of a folder, without subfolders.
 *
 * @param folder Path of the folder.
 * @returns Paths that begin with the folder's, in alphabetical order.
 * @throws {ConfigError} If it cannot be read.
 */
export async function filesIn(
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  const prefix = folder === "." ? "" : `${folder.replace(/\/+$/, "")}/`;
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (!isDirectory && isWanted(name)) found.push(`${prefix}${name}`);
    }
  } catch (error) {
    throw unreadable(folder, error);
  }
  return found.sort();
}

/**
 * Lists the files of a folder in the order of their paths, with those of the folders inside and behind links.
 *
 * @returns Paths that begin with the folder's; none if it is missing.
 * @throws {ConfigError} If a folder cannot be read, or a link leads back to a folder around.
 */
export async function filesBelow(
  folder: string,
  isWanted: (name: string) => boolean,
  around: readonly string[] = [],
): Promise<readonly string[]> {
  try {
    const real = await Deno.realPath(folder);
    if (around.includes(real)) {
      throw new ConfigError(
        `Cannot read "${folder}": the link leads to a folder around it`,
      );
    }
    const found: string[] = [];
    for (const name of await namesIn(folder)) {
      const path = `${folder}/${name}`;
      const { isDirectory } = await Deno.stat(path);
      if (isDirectory) {
        found.push(...await filesBelow(path, isWanted, [...around, real]));
      } else if (isWanted(name)) found.push(path);
    }
    return found;
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound;
    if (isMissing && around.length === 0) return [];
    throw unreadable(folder, error);
  }
}

/** Lists the entries of a folder; a missing one has none. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) names.push(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.sort();
}

function unreadable(folder: string, error: unknown): unknown {
  // System errors have a code.
  if (!(error instanceof Error && "code" in error)) return error;
  const reason = systemReason(error);
  return new ConfigError(`Cannot read "${folder}": ${reason}`, {
    cause: error,
  });
}
