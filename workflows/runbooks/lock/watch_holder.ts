/** Waits for the holder of a Lease that may have exited. */

import type { OperationClock } from "../../../lib/clock.ts";
import { lockedError, parseHolder } from "./holder.ts";
import type { LeaseState } from "./lease.ts";

interface HolderWatch {
  readonly read: () => Promise<LeaseState | undefined>;
  readonly clock: OperationClock;
  readonly run: string;
  readonly note: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits one lease duration of another process by polling: clocks of two machines are never compared.
 *
 * @param known The Lease as last read.
 * @returns True if it was released meanwhile, false if its holder has not renewed it.
 * @throws {LockedError} If it was renewed.
 */
export async function watchHolder(
  known: LeaseState,
  { read, clock, run, note, signal }: HolderWatch,
): Promise<boolean> {
  const { durationMs, holder, version } = known;
  const stepMs = Math.min(5_000, durationMs / 4);
  const { shown } = parseHolder(holder);
  const seconds = Math.ceil(durationMs / 1_000);
  note(
    `Waiting up to ${seconds} s for the lock of a process that was killed: ${shown}`,
  );
  // Counts sleeps, since the system clock may be set meanwhile.
  for (let waited = 0; waited < durationMs; waited += stepMs) {
    await clock.sleep(stepMs, signal);
    if (signal?.aborted) throw lockedError(known, run);
    const now = await read();
    if (now?.version === version) continue;
    if (now === undefined || now.holder !== holder) return true;
    throw lockedError(now, run);
  }
  return false;
}
