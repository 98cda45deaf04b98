/** Removes the folder of a run, so that its secrets cannot be read afterwards. */

import { readStat, removeIfThere } from "../../../lib/files/atomic_file.ts";
import { readVaultFile, wipeVaultFile } from "../../vault/vault_file.ts";
import { headerName } from "./run_header.ts";
import { lockRun } from "./run_lock.ts";

/**
 * Removes a run. In this order, so that an interruption is safe: its secrets, the files that make it a run, the rest.
 *
 * @throws {LockedError} If a process is using it.
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

/** Removes the files of a run that could not be created, as far as possible; a folder with a header is a run, and stays. */
export async function removeUnmade(
  { folder, keyFile }: {
    readonly folder: string;
    readonly keyFile: string;
  },
): Promise<void> {
  if (await readStat(`${folder}/${headerName}`) !== undefined) return;
  // The caller raises the error that prevented the creation.
  await Promise.allSettled([
    removeIfThere(keyFile),
    Deno.remove(folder, { recursive: true }),
  ]);
}

/**
 * Reports whether the vault of a run can still be opened.
 *
 * @throws {ConfigError} If the file is damaged, or cannot be read.
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
