/** The client configuration as a file that is only read. */

import { ConfigError } from "../errors.ts";
import { type Osconfig, osconfigLimit, parseOsconfig } from "./osconfig.ts";
import { misread } from "./yaml_tree.ts";

/**
 * Reads a client configuration; nothing is created.
 *
 * @param path File, pipe or device.
 * @returns `undefined` when there is no such file.
 * @throws {ConfigError} If it may not be read, is larger than 10 MiB, or is wrong.
 */
export async function readOsconfig(
  path: string,
): Promise<Osconfig | undefined> {
  const bytes = await readBounded(path);
  return bytes && await parseOsconfig(decode(bytes, path), path);
}

async function readBounded(path: string): Promise<Uint8Array | undefined> {
  try {
    using file = await Deno.open(path);
    return await readUpTo(file, path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    // Errors of the system carry its code.
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new ConfigError(`Cannot read "${path}": ${error.message}`, {
      cause: error,
    });
  }
}

// The size a file claims is no bound: pipes and devices claim none.
async function readUpTo(
  file: Deno.FsFile,
  path: string,
): Promise<Uint8Array> {
  let buffer = new Uint8Array(64 * 1024);
  let length = 0;
  for (;;) {
    const count = await file.read(buffer.subarray(length));
    if (count === null) return buffer.subarray(0, length);
    length += count;
    if (length > osconfigLimit) throw tooLarge(path);
    if (length === buffer.length) {
      const larger = new Uint8Array(2 * buffer.length);
      larger.set(buffer);
      buffer = larger;
    }
  }
}

function tooLarge(path: string): ConfigError {
  return misread(
    path,
    undefined,
    "it is larger than 10 MiB",
    "Give a client configuration",
  );
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw misread(path, undefined, "it is not UTF-8", "Save it as UTF-8");
  }
}
