/** Files in a cluster's folder, which osctl alone writes. */

import { ConfigError } from "../errors.ts";

/**
 * Reads a file that osctl wrote.
 *
 * @param path Path of the file.
 * @returns What is in it, taken as of the type it was written with; `undefined` when there is none.
 * @throws {ConfigError} If it is no JSON.
 */
export async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    // Written by osctl, atomically.
    return JSON.parse(await Deno.readTextFile(path)) as T;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    throw new ConfigError(`Cannot read "${path}": it is no JSON`, {
      cause: error,
      hint: "Remove the cluster with: osctl cluster destroy --force",
    });
  }
}
