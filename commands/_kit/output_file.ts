/** Output files named by the user; `-` is standard output. */

import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { temporaryFolder } from "../../lib/files/temporary.ts";
import { type Flag, text } from "./inputs.ts";

/** Reports whether output goes to standard output: no path, or `-`. */
export function isStandardStream(path: string | undefined): boolean {
  return path === undefined || path === "-";
}

/** `-o` of a command that prints a file: the output path. */
export const outputFileFlag: Flag<string | undefined> = text(
  "output file; default standard output",
  { short: "o", complete: "files", dash: true },
);

/**
 * Writes content to a file, or returns it for standard output.
 *
 * @param path File; absent or `-` for standard output.
 * @param content Text (UTF-8) or bytes.
 * @throws {ConfigError} If the file cannot be written.
 */
export async function* writeOutput(
  path: string | undefined,
  content: string | Uint8Array,
): AsyncGenerator<Uint8Array> {
  if (path !== undefined && !isStandardStream(path)) {
    await writeFileAtomic(path, content);
    return;
  }
  yield typeof content === "string"
    ? new TextEncoder().encode(content)
    : content;
}

/**
 * Creates a file atomically, or returns it for standard output.
 *
 * @param name Name of the temporary file.
 * @param make Writes the file; if it fails, nothing is returned.
 */
export async function* throughFile(
  name: string,
  make: (path: string) => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  await using folder = await temporaryFolder("osctl-output-");
  const path = `${folder.path}/${name}`;
  await make(path);
  yield* (await Deno.open(path)).readable;
}
