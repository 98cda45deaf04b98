/** Removing the folder of a run, so that nothing of its secrets can be read afterwards. */

import { readStat, removeIfThere } from "../../../lib/files/atomic_file.ts";
import { readVaultFile, wipeVaultFile } from "../../vault/vault_file.ts";
import { headerName } from "./run_header.ts";
import { lockRun } from "./run_lock.ts";

/**
 * Removes a run. Whatever happens meanwhile, its secrets go first, then it is not a run any more, then the rest goes.
 *
 * @throws {LockedError} If a process is at it.
 */
export async function removeRun(
  { folder, id, keyFile }: {
    readonly folder: string;
    readonly id: string;
    readonly keyFile: string;
  },
): Promise<void> {
  {
    using _ = await lockRun(folder, id);
    await wipeVaultFile(folder);
    await removeIfThere(keyFile);
    await removeIfThere(`${folder}/${headerName}`);
  }
  await Deno.remove(folder, { recursive: true });
}

/** Removes what was written of a run that could not be made, as far as possible; what has a header is a run, and stays. */
export async function removeUnmade(
  { folder, keyFile }: {
    readonly folder: string;
    readonly keyFile: string;
  },
): Promise<void> {
  if (await readStat(`${folder}/${headerName}`) !== undefined) return;
  // The error that is raised is the one why it could not be made.
  await Promise.allSettled([
    removeIfThere(keyFile),
    Deno.remove(folder, { recursive: true }),
  ]);
}

/**
 * Reports whether the vault of a run can still be opened.
 *
 * @throws {ConfigError} If the file is damaged, or may not be read.
 */
export async function hasVault(folder: string): Promise<boolean> {
  const content = await readVaultFile(folder);
  return content !== undefined && !("destroyed" in content);
}

/** Size of all files of a run, in bytes. */
export async function measureSize(folder: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    bytes += isDirectory
      ? await measureSize(path)
      : (await Deno.lstat(path)).size;
  }
  return bytes;
}
