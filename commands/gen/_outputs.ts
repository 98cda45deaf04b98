import { resolveLinks, splitPath } from "../../lib/files/atomic_file.ts";
import {
  type NewFile,
  takenAmong,
  writeFilesAtomic,
} from "../../lib/files/file_set.ts";
import { ConfigError } from "../../errors.ts";

/**
 * Refuses to continue when a target is there already; worth a call before long work.
 *
 * @param force Whether they may be replaced; then nothing is refused.
 * @throws {ConfigError} Names every file that is there.
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
 * Writes all files of a command, or none; each with mode 0600, in directories of mode 0700.
 *
 * @param outputs Files, no path twice.
 * @param force Whether files that are there already are replaced.
 * @throws {ConfigError} Names every file that is there, or the one that cannot be written.
 */
export async function writeOutputs(
  outputs: readonly NewFile[],
  force: boolean,
): Promise<void> {
  await refuseTaken(outputs.map(({ path }) => path), force);
  await writeFilesAtomic(outputs, { overwrite: force });
}

/** Refuses to write over a file that the command reads, even if forced. Throws `ConfigError`: names the file. */
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
 * Path of a file that is beside another.
 *
 * @param ending What comes in place of the last dot of its name and all behind it: `.csr`.
 */
export function withEnding(path: string, ending: string): string {
  const [, name] = splitPath(path);
  const dot = name.lastIndexOf(".");
  const end = dot < 0 ? path.length : path.length - name.length + dot;
  return path.slice(0, end) + ending;
}

/** Who reads or writes the file says what is wrong with its path. */
async function findFreePlace(path: string): Promise<string | undefined> {
  try {
    return await resolveLinks(path);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
