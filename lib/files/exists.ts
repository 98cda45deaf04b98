/** What is at a path: anything, a free name beside it, files in it. */

import { isAbsent } from "./atomic_file.ts";
import { systemReason } from "./system_reason.ts";
import { ConfigError } from "../../errors.ts";
import { takenAmong } from "./file_set.ts";

/** Reports whether something is at a path; also true when it may not be read. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    return !isAbsent(error);
  }
}

/** Reports whether a folder is at a path; false when it may not be read. */
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
 * @param now Present moment; it is written in UTC: `20260102T030405Z`.
 * @throws {ConfigError} If the system does not tell what is there.
 */
export async function backupPath(path: string, now: Date): Promise<string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  for (let count = 1;; count++) {
    const name = `${path}.${time}${count > 1 ? `-${count}` : ""}.bak`;
    // Names are tried in their order until one is free.
    if ((await takenAmong([name])).length === 0) return name;
  }
}

/**
 * Lists files of a folder, not those in folders below it.
 *
 * @param folder Path of the folder.
 * @returns Paths that begin with the folder's, in the order of the alphabet.
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
    // Errors of the system carry its code.
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new ConfigError(`Cannot read "${folder}": ${systemReason(error)}`, {
      cause: error,
    });
  }
  return found.sort();
}
