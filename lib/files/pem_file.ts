import { ConfigError } from "../../errors.ts";
import { readBoundedBytes } from "./bounded_file.ts";
import { processMasker } from "../masker.ts";

/**
 * Reads and parses a file of at most 1 MiB.
 *
 * @param parse Parses the bytes; throws if they are invalid.
 * @returns Result of `parse`.
 * @throws {ConfigError} Names the missing or invalid file.
 */
export async function readPemFile<T>(
  path: string,
  parse: (pem: Uint8Array) => T | Promise<T>,
): Promise<T> {
  const pem = await readBoundedBytes({
    path,
    limitMib: 1,
    expected: "a PEM file",
  });
  if (pem === undefined) {
    throw new ConfigError(`Cannot read "${path}": no such file`);
  }
  if (new TextDecoder().decode(pem).includes("PRIVATE KEY")) {
    processMasker.add(pem);
  }
  try {
    return await parse(pem);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`Cannot use "${path}": ${error.message}`, {
      cause: error,
      hint: error.hint,
    });
  }
}
