/** Lock of a run for one process; the operating system releases it when the process exits. */

import { LockedError } from "../../../errors.ts";
import { pause } from "../../../lib/pause.ts";

const lockName = "lock";

/** Locks a run. Throws `LockedError` if another process is using it. */
export async function lockRun(folder: string, id: string): Promise<Disposable> {
  const lock = await Deno.open(`${folder}/${lockName}`, {
    write: true,
    create: true,
    mode: 0o600,
  });
  if (await lockWithRetries(lock)) {
    return { [Symbol.dispose]: () => lock.close() };
  }
  lock.close();
  throw new LockedError(`Run "${id}" is running in another process`, {
    hint: `Watch it with: osctl runbook status ${id}`,
  });
}

/** Retries a few times: a process that checks the lock holds it briefly, too. */
async function lockWithRetries(lock: Deno.FsFile): Promise<boolean> {
  for (let tries = 1; !await lock.tryLock(true); tries++) {
    if (tries === 5) return false;
    // Tries are sequential.
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
