/** The client configuration as a file that is only read. */

import { readBoundedText } from "../files/bounded_file.ts";
import { type Osconfig, parseOsconfig } from "./osconfig.ts";

/** Largest client configuration that is read, in MiB. */
const limitMib = 10;

/**
 * Reads a client configuration; nothing is created. Returns `undefined` when there is no such file.
 * Throws `ConfigError` if it may not be read, is larger than 10 MiB, or is wrong.
 */
export async function readOsconfig(
  path: string,
): Promise<Osconfig | undefined> {
  const text = await readBoundedText({
    path,
    limitMib,
    expected: "a client configuration",
  });
  return text === undefined ? undefined : await parseOsconfig(text, path);
}
