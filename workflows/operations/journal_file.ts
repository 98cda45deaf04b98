/** Journal files: one line for each record, synced before anything is sent. */

import { readIfPresent } from "../../lib/files/exists.ts";
import { maskValue, processMasker } from "../../lib/masker.ts";
import { ConfigError, OsctlError } from "../../errors.ts";
import {
  type BeginRecord,
  foldHistory,
  type Journal,
  type JournalHistory,
  type NewOperationRecord,
  readRecords,
} from "./journal.ts";
import {
  removeIfThere,
  syncFolder,
  unwritable,
} from "../../lib/files/atomic_file.ts";
import { systemReason } from "../../lib/files/system_reason.ts";
import { writeAll } from "../../lib/files/write_all.ts";

/** A journal open for writing, locked against other processes. */
export interface OpenOperationJournal extends Journal, Disposable {
  readonly history: JournalHistory;
}

/** A journal in a folder. */
export interface ListedJournal {
  readonly id: string;
  readonly history: JournalHistory;
  /** True while a process has it open. */
  readonly held: boolean;
}

/** Retention of finished journals, in milliseconds. */
const keptMs = 30 * 24 * 3_600_000;

const ending = ".jsonl";

/**
 * Creates a journal.
 *
 * @param folder Folder of all journals; created if missing.
 * @throws {ConfigError} If the folder cannot be written.
 */
export async function beginJournal(
  folder: string,
  begin: Omit<BeginRecord, "type" | "v" | "id" | "at">,
  now: () => Date,
): Promise<OpenOperationJournal> {
  const id = newId(begin.operation, now());
  const file = await makeFile(folder, id, now());
  const record: NewOperationRecord<BeginRecord> = {
    type: "begin",
    v: 1,
    id,
    ...begin,
  };
  const path = joinPath(folder, id);
  const journal = makeWriter(file, path, id, now);
  try {
    await journal.append(record);
    await syncFolder(folder);
  } catch (error) {
    file.close();
    await removeIfThere(path);
    throw unwritable(path, error instanceof OsctlError ? error.cause : error);
  }
  const history = foldHistory([{ ...record, at: now().toISOString() }]);
  if (history === undefined) {
    throw new TypeError("The journal has no first record");
  }
  return { ...journal, history };
}

async function makeFile(
  folder: string,
  id: string,
  now: Date,
): Promise<Deno.FsFile> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    await removeOld(folder, now);
    const file = await Deno.open(joinPath(folder, id), {
      createNew: true,
      append: true,
      mode: 0o600,
    });
    await file.lock(true);
    return file;
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/**
 * Reopens a journal.
 *
 * @throws {ConfigError} If it does not exist, or is damaged.
 * @throws {OsctlError} If another process has it open.
 */
export async function reopenJournal(
  folder: string,
  id: string,
  now: () => Date,
): Promise<OpenOperationJournal> {
  const path = joinPath(folder, id);
  const file = await openJournal(path, id);
  try {
    if (!await file.tryLock(true)) {
      throw new OsctlError(`Operation "${id}" is running in another process`);
    }
    // After locking: another process may have written until then.
    const text = await readIfPresent(path) ?? "";
    const history = foldHistory(readRecords(text, path));
    if (history === undefined) {
      throw new ConfigError(
        `Cannot resume operation "${id}": nothing was started`,
      );
    }
    // Drops an incomplete record left by a crash.
    await file.truncate(
      encoder.encode(text.slice(0, text.lastIndexOf("\n") + 1)).length,
    );
    return { ...makeWriter(file, path, id, now), history };
  } catch (error) {
    file.close();
    throw error;
  }
}

async function openJournal(path: string, id: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path, { read: true, write: true, append: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new ConfigError(`Cannot find operation "${id}"`, {
      hint: "List them with: osctl operation list",
    });
  }
}

/** Lists the journals, newest first. `folder`: folder of all journals; empty if missing. */
export async function listJournals(
  folder: string,
): Promise<readonly ListedJournal[]> {
  const names = await namesIn(folder);
  const listed = await Promise.all(names.map(async (name) => {
    const path = `${folder}/${name}`;
    const text = await readIfPresent(path) ?? "";
    const history = foldHistory(readRecords(text, path));
    if (history === undefined) return [];
    const held = await isHeld(path);
    return [{ id: name.slice(0, -ending.length), history, held }];
  }));
  return listed.flat().toSorted((a, b) => a.id < b.id ? 1 : -1);
}

const encoder = new TextEncoder();

function makeWriter(
  file: Deno.FsFile,
  path: string,
  id: string,
  now: () => Date,
): Omit<OpenOperationJournal, "history"> {
  let last: Promise<void> = Promise.resolve();
  async function write(record: NewOperationRecord): Promise<void> {
    // Only this text is from the node; other fields are compared later and must stay exact.
    const shown = record.type === "outcome"
      ? maskValue(record, processMasker.mask)
      : record;
    const line = JSON.stringify({ ...shown, at: now().toISOString() });
    try {
      await writeAll(file, encoder.encode(`${line}\n`));
      await file.sync();
    } catch (cause) {
      throw new OsctlError(`Cannot write "${path}": ${systemReason(cause)}`, {
        hint: "Free disk space, then run: osctl operation resume",
        cause,
      });
    }
  }
  return {
    id,
    // Serializes writes of concurrent nodes.
    append: (record) => last = last.then(() => write(record)),
    [Symbol.dispose]: () => file.close(),
  };
}

function joinPath(folder: string, id: string): string {
  if (!/^[A-Za-z0-9-]+$/.test(id)) {
    throw new ConfigError(
      `Cannot use operation "${id}": it is not an operation id`,
    );
  }
  return `${folder}/${id}${ending}`;
}

function newId(operation: string, now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")
    .replace("T", "-");
  const random = crypto.randomUUID().slice(0, 4);
  return `${time}-${operation.replaceAll(" ", "-")}-${random}`;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (isFile && name.endsWith(ending)) names.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names;
}

async function isHeld(path: string): Promise<boolean> {
  using file = await Deno.open(path, { read: true });
  return !await file.tryLock(false);
}

async function removeOld(folder: string, now: Date): Promise<void> {
  for (const { id, history, held } of await listJournals(folder)) {
    const age = now.getTime() - Date.parse(history.begin.at);
    if (held || !history.closed || age < keptMs) continue;
    await Deno.remove(joinPath(folder, id));
  }
}
