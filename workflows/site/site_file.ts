/** Files of a directory. */

import { splitPath } from "../../lib/files/atomic_file.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { ConfigError } from "../../errors.ts";

/** Reads a text of the directory. Throws `ConfigError` if it is missing, unreadable or larger than 16 MiB. */
export async function readSiteText(
  path: string,
  expected: string,
): Promise<string> {
  const text = await readBoundedText({ path, limitMib: 16, expected });
  if (text !== undefined) return text;
  throw new ConfigError(`Cannot read "${path}": no such file`, {
    hint: `Give ${expected}`,
  });
}

/** Folder of a file; empty for the working directory. */
export function findFolder(file: string): string {
  const [folder] = splitPath(file);
  return folder === "." ? "" : folder;
}

/** Joins a path of the directory with its folder. */
export function inFolder(folder: string, path: string): string {
  if (path.startsWith("/") || folder === "") return path || ".";
  return path === "" ? folder : `${folder}/${path}`;
}
