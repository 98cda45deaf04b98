/** Delivery of messages to a run: through its inbox while a process is running it, else in its journal. */

import { readStat, removeIfThere } from "../../../lib/files/atomic_file.ts";
import { LockedError } from "../../../errors.ts";
import type { RunHistory } from "../journal/history.ts";
import type { NewRecord } from "../journal/record.ts";
import { leaveMessage, type Message } from "./inbox.ts";
import { openJournal, runFolder } from "./run_folder.ts";

/** Message to a run. */
export interface Delivery {
  readonly runs: string;
  readonly id: string;
  readonly message: Message;
  /** Record for its journal, when no process is running it. Throws `OsctlError` if it can no longer be recorded. */
  readonly record: (history: RunHistory) => NewRecord;
  readonly now: () => Date;
  /** Waits between two polls, in milliseconds. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborts the wait for a process that does not poll; the message stays. */
  readonly signal: AbortSignal;
}

/** Result of a delivery. */
export type Delivered =
  /** A process has received the message. */
  | "taken"
  /** It is in the journal, for the process that resumes the run. */
  | "written"
  /** The process has not polled yet. */
  | "left";

/** Poll interval, in milliseconds. */
const everyMs = 100;

/** Delivers a message to a run. Throws `ConfigError` if there is no such run, or its journal is damaged. */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { runs, id, message, sleep, signal } = delivery;
  const folder = runFolder(runs, id);
  let path: string | undefined;
  while (true) {
    const done = await settle(delivery, path);
    if (done !== undefined) return done;
    path ??= await leaveMessage(folder, message);
    if (signal.aborted) return "left";
    // Polls are sequential.
    await sleep(everyMs, signal);
  }
}

async function settle(
  { runs, id, record, now }: Delivery,
  path: string | undefined,
): Promise<Delivered | undefined> {
  const isTaken = async () =>
    path !== undefined && await readStat(path) === undefined;
  if (await isTaken()) return "taken";
  try {
    using open = await openJournal(runs, id, now);
    // The process may have received it right before it exited.
    if (await isTaken()) return "taken";
    await open.journal.append(record(open.history));
    if (path !== undefined) await removeIfThere(path);
    return "written";
  } catch (error) {
    if (error instanceof LockedError) return undefined;
    throw error;
  }
}
