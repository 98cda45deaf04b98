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
    // System errors have a code.
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new ConfigError(`Cannot read "${folder}": ${systemReason(error)}`, {
      cause: error,
    });
  }
  return found.sort();
}
