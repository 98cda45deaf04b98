/** Output directory of the commands of the group. */

import type { NewFile } from "../../../lib/files/file_set.ts";
import { text, type Values } from "../../_kit/mod.ts";
import { refuseTaken, writeOutputs } from "../_outputs.ts";
import { forceInputs } from "../_inputs.ts";

/** Flags of the commands of the group. */
export const folderInputs = {
  output: text("output directory", {
    initial: "_out",
    short: "o",
    complete: "directories",
  }),
  ...forceInputs,
};

export type FolderInputs = Values<typeof folderInputs>;

interface FolderOptions extends FolderInputs {
  /** Prints the name of each written file. */
  readonly note: (text: string) => void;
}

/** Path of a file in the directory. */
export function pathIn(output: string, name: string): string {
  if (output === "") return name;
  return output.endsWith("/") ? `${output}${name}` : `${output}/${name}`;
}

/** Refuses existing files, unless forced. Throws `ConfigError` naming every existing file. */
export async function refuseTakenIn(
  names: readonly string[],
  { output, force }: FolderInputs,
): Promise<void> {
  await refuseTaken(names.map((name) => pathIn(output, name)), force);
}

/**
 * Writes all files or none, and prints their names. Throws `ConfigError` naming
 * every existing file, or the one that cannot be written.
 */
export async function writeInto(
  files: Readonly<Record<string, NewFile["content"]>>,
  { output, force, note }: FolderOptions,
): Promise<void> {
  await refuseTakenIn(Object.keys(files), { output, force });
  const outputs = Object.entries(files).map(([name, content]) => ({
    path: pathIn(output, name),
    content,
  }));
  for (const { path } of outputs) note(`writing ${path}`);
  await writeOutputs(outputs, force);
}
