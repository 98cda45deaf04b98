/** Files that commands of the group write. */

import {
  type NewFile,
  takenAmong,
  writeFilesAtomic,
} from "../../config/file_set.ts";
import { ConfigError } from "../../errors.ts";

/**
 * Refuses to go on when a target is there already; worth a call before long work.
 *
 * @param paths All files the command will write.
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
  const state = taken.length === 1 ? "it exists" : "they exist";
  throw new ConfigError(`Cannot write ${names}: ${state} already`, {
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
