/** A mark that a run has written something down, so that an empty journal is not taken for a new one. */

import { statOf, writeFileAtomic } from "../../../config/files/atomic_file.ts";
import { ConfigError } from "../../../errors.ts";
import type { KeptJournal } from "../journal/writer.ts";

/** Name of the mark in the folder of a run. */
const markName = "begun";

/** Leaves the mark behind the first record, before anything is sent. */
export function markingBegun(
  journal: KeptJournal,
  folder: string,
): KeptJournal {
  let marked: Promise<void> | undefined;
  return {
    ...journal,
    async append(record) {
      const written = await journal.append(record);
      await (marked ??= mark(folder));
      return written;
    },
  };
}

async function mark(folder: string): Promise<void> {
  await writeFileAtomic(`${folder}/${markName}`, "");
  await syncFolder(folder);
}

/**
 * Refuses a journal without records that had some: by it everything would be done again.
 *
 * @throws {ConfigError} If the mark is beside it.
 */
export async function refuseEmptied(path: string, id: string): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf("/"));
  if (await statOf(`${folder}/${markName}`) === undefined) return;
  throw new ConfigError(
    `Cannot read journal "${path}": it is empty, but run "${id}" was begun`,
    {
      hint:
        `Restore it from a backup; otherwise check the nodes by hand, then remove the run with: osctl runbook gc ${id} --unfinished`,
    },
  );
}

/** Writes a folder to the disk: the name of a new file survives a crash only then. */
export async function syncFolder(folder: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  using directory = await Deno.open(folder, { read: true });
  await directory.sync();
}
