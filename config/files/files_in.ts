/** Names of files in a folder. */

import { ConfigError } from "../../errors.ts";

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
    throw new ConfigError(`Cannot read "${folder}": ${error.message}`, {
      cause: error,
    });
  }
  return found.sort();
}
