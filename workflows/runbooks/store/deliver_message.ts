/** Telling a run something: through its inbox while a process resumes it, else in its journal. */

import { readStat, removeIfThere } from "../../../lib/files/atomic_file.ts";
import { LockedError } from "../../../errors.ts";
import type { RunHistory } from "../journal/history.ts";
import type { NewRecord } from "../journal/record.ts";
import { leaveMessage, type Message } from "./inbox.ts";
import { openJournal, runFolder } from "./run_folder.ts";

/** What a run is given. */
export interface Delivery {
  readonly runs: string;
  readonly id: string;
  readonly message: Message;
  /** For its journal, when no process has it. Throws `OsctlError` when that is not to be written any more. */
  readonly record: (history: RunHistory) => NewRecord;
  readonly now: () => Date;
  /** Waits between two looks, in milliseconds. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Ends the wait for a process that does not look; the message stays. */
  readonly signal: AbortSignal;
}

/** What became of it. */
export type Delivered =
  /** A process has taken the message. */
  | "taken"
  /** It is in the journal, for the process that resumes the run. */
  | "written"
  /** The process has not looked yet. */
  | "left";

/** Time between two looks, in milliseconds. */
const everyMs = 100;

/** Tells a run something. Throws `ConfigError` if there is no such run, or its journal is damaged. */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { runs, id, message, sleep, signal } = delivery;
  const folder = runFolder(runs, id);
  let path: string | undefined;
  while (true) {
    const done = await settled(delivery, path);
    if (done !== undefined) return done;
    path ??= await leaveMessage(folder, message);
    if (signal.aborted) return "left";
    // A look follows the one before.
    await sleep(everyMs, signal);
  }
}

async function settled(
  { runs, id, record, now }: Delivery,
  path: string | undefined,
): Promise<Delivered | undefined> {
  const isTaken = async () =>
    path !== undefined && await readStat(path) === undefined;
  if (await isTaken()) return "taken";
  try {
    using open = await openJournal(runs, id, now);
    // Its process may have taken it right before its end.
    if (await isTaken()) return "taken";
    await open.journal.append(record(open.history));
    if (path !== undefined) await removeIfThere(path);
    return "written";
  } catch (error) {
    if (error instanceof LockedError) return undefined;
    throw error;
  }
}
