/** One process for a run; the system gives the lock back when it dies. */

import { ConfigError, HeldError } from "../../../errors.ts";
import { pause } from "../../../transport/pause.ts";
import {
  statOf,
  syncFolder,
  writeFileAtomic,
} from "../../../config/files/atomic_file.ts";
import type { KeptJournal } from "../journal/writer.ts";

/** Name of the lock of a run. */
const lockName = "lock";

/** Locks a run. Throws `HeldError` if another process is at it. */
export async function lockRun(folder: string, id: string): Promise<Disposable> {
  const lock = await Deno.open(`${folder}/${lockName}`, {
    write: true,
    create: true,
    mode: 0o600,
  });
  if (await locked(lock)) return { [Symbol.dispose]: () => lock.close() };
  lock.close();
  throw new HeldError(`Run "${id}" is running in another process`, {
    hint: `Watch it with: osctl runbook status ${id}`,
  });
}

/** Tries a few times: who asks whether the run is held holds it for a moment, too. */
async function locked(lock: Deno.FsFile): Promise<boolean> {
  for (let tries = 1; !await lock.tryLock(true); tries++) {
    if (tries === 5) return false;
    // One try after the other.
    await pause(50);
  }
  return true;
}

/** Reports whether a process writes to a run. */
export async function isHeld(folder: string): Promise<boolean> {
  try {
    using lock = await Deno.open(`${folder}/${lockName}`, { read: true });
    return !await lock.tryLock(false);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Name of the mark in the folder of a run. */
const markName = "started";

/** Leaves the mark behind the first record, before anything is sent. */
export function markStarted(
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
    `Cannot read journal "${path}": it is empty, but run "${id}" was started`,
    {
      hint:
        `Restore it from a backup; otherwise check the nodes by hand, then remove the run with: osctl runbook gc ${id} --unfinished`,
    },
  );
}
