import { resolveLinks, splitPath } from "../../lib/files/atomic_file.ts";
import {
  type NewFile,
  takenAmong,
  writeFilesAtomic,
} from "../../lib/files/file_set.ts";
import { ConfigError } from "../../errors.ts";

/**
 * Refuses existing target files; called before slow work.
 *
 * @param force True to replace them; then nothing is refused.
 * @throws {ConfigError} Naming every existing file.
 */
export async function refuseTaken(
  paths: readonly string[],
  force: boolean,
): Promise<void> {
  const taken = force ? [] : await takenAmong(paths);
  if (taken.length === 0) return;
  const names = taken.map((path) => `"${path}"`).join(", ");
  const state = taken.length === 1 ? "it already exists" : "they already exist";
  throw new ConfigError(`Cannot write ${names}: ${state}`, {
    hint: "Replace with --force",
  });
}

/**
 * Writes all files of a command, or none, with mode 0600 and directories with mode 0700.
 *
 * @param outputs Files with distinct paths.
 * @param force True to replace existing files.
 * @throws {ConfigError} Naming every existing file, or the one that cannot be written.
 */
export async function writeOutputs(
  outputs: readonly NewFile[],
  force: boolean,
): Promise<void> {
  await refuseTaken(outputs.map(({ path }) => path), force);
  await writeFilesAtomic(outputs, { overwrite: force });
}

/** Refuses to overwrite an input file of the command, even if forced. Throws `ConfigError` naming the file. */
export async function refuseInputs(
  outputs: readonly string[],
  inputs: readonly string[],
): Promise<void> {
  const read = await Promise.all(inputs.map(findFreePlace));
  for (const path of outputs) {
    const place = await findFreePlace(path);
    if (place === undefined || !read.includes(place)) continue;
    throw new ConfigError(`Cannot write "${path}": it is also an input`, {
      hint: "Choose other names",
    });
  }
}

/**
 * Path of a file with another extension.
 *
 * @param ending The new extension: `.csr`.
 */
export function withEnding(path: string, ending: string): string {
  const [, name] = splitPath(path);
  const dot = name.lastIndexOf(".");
  const end = dot < 0 ? path.length : path.length - name.length + dot;
  return path.slice(0, end) + ending;
}

/** Problems with the path are reported by the read or write. */
async function findFreePlace(path: string): Promise<string | undefined> {
  try {
    return await resolveLinks(path);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
