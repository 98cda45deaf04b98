/** Folder of a run: its header, its journal, and its artifacts. */

import { sha256Hex } from "../../../lib/sha256.ts";
import {
  readStat,
  syncFolder,
  unwritable,
  writeFileAtomic,
} from "../../../lib/files/atomic_file.ts";
import { writeAll } from "../../../lib/files/write_all.ts";
import { ConfigError } from "../../../errors.ts";
import { RunHistory } from "../journal/history.ts";
import { readJournal } from "../journal/reader.ts";
import {
  emptyEnd,
  type JournalEnd,
  type JournalStore,
  type KeptJournal,
  writeJournal,
} from "../journal/writer.ts";
import type { Runbook } from "../runbook.ts";
import { mapInChunks } from "./map_in_chunks.ts";
import { dropWishes } from "./inbox.ts";
import {
  headerName,
  listHeaders,
  readHeader,
  readRunbook,
  refuseChangedHeader,
  runbookName,
  type RunHeader,
} from "./run_header.ts";
import { isHeld, lockRun } from "./run_lock.ts";

/** A run that is open for writing, by this process only. */
interface OpenJournal extends Disposable {
  readonly folder: string;
  readonly header: RunHeader;
  readonly history: RunHistory;
  readonly journal: KeptJournal;
  /** True when a truncated last line was removed. */
  readonly torn: boolean;
}

/** A run that can be resumed. */
export interface OpenRun extends OpenJournal {
  readonly runbook: Runbook;
}

/** A run in the folder of all runs. */
export interface ListedRun {
  readonly folder: string;
  readonly header: RunHeader;
  readonly history: RunHistory;
  /** True while a process writes to it. */
  readonly held: boolean;
}

const journalName = "journal.jsonl";

/** Folder of a run. */
export function runFolder(runs: string, id: string): string {
  if (!/^[A-Za-z0-9-]+$/.test(id)) {
    throw new ConfigError(`Cannot use run "${id}": that is not a run id`, {
      hint: "List them with: osctl runbook history",
    });
  }
  return `${runs}/${id}`;
}

/**
 * Creates the folder of a run, for the secrets that are required before it starts.
 *
 * @param runs Folder of all runs; created if missing.
 * @returns Its path.
 * @throws {ConfigError} If it cannot be created.
 */
export async function makeRunFolder(runs: string, id: string): Promise<string> {
  const folder = runFolder(runs, id);
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unwritable(runs, cause);
  }
  return folder;
}

/** Makes the id of a new run: `20261120-7k2f`. */
export function newRunId(now: Date): string {
  const day = now.toISOString().slice(0, 10).replaceAll("-", "");
  const bytes = crypto.getRandomValues(new Uint8Array(4));
  const letters = "23456789abcdefghjkmnpqrstuvwxyz";
  const word = Array.from(bytes, (byte) => letters[byte % letters.length]);
  return `${day}-${word.join("")}`;
}

/**
 * Creates a run in its folder.
 *
 * @param runs Folder of all runs; created if missing.
 * @param header Its header; the hash of the intermediate form is added.
 * @throws {ConfigError} If a run with this id exists.
 */
export async function createRun(
  runs: string,
  header: Omit<RunHeader, "ir" | "v">,
  runbook: Runbook,
  files: readonly { readonly path: string; readonly text: string }[],
  now: () => Date,
): Promise<OpenRun> {
  const folder = runFolder(runs, header.id);
  await refuseAnother(folder, header.id);
  await makeRunFolder(runs, header.id);
  await Promise.all(
    ["artifacts", "inbox", "runbook"].map((name) =>
      Deno.mkdir(`${folder}/${name}`, { recursive: true, mode: 0o700 })
    ),
  );
  const text = JSON.stringify(runbook);
  const whole: RunHeader = { v: 2, ...header, ir: await sha256Hex(text) };
  await writeFileAtomic(`${folder}/${runbookName()}`, text);
  await keepSources(folder, files);
  const started = JSON.stringify(whole, undefined, 2) + "\n";
  // The header makes it a run: its hash is in the journal by then.
  await recordHeader(`${folder}/${journalName}`, await sha256Hex(started), now);
  await writeFileAtomic(`${folder}/${headerName}`, started);
  const run = await openRun(runs, header.id, now);
  await syncFolder(runs);
  await syncFolder(folder);
  return run;
}

/** Starts the journal of a run with the hash of its header. */
async function recordHeader(
  path: string,
  sha256: string,
  now: () => Date,
): Promise<void> {
  using file = await Deno.open(path, {
    write: true,
    create: true,
    truncate: true,
    mode: 0o600,
  });
  const journal = writeJournal(openStore(file), emptyEnd, now);
  await journal.append({ type: "run.header", data: { sha256 } });
}

/**
 * Saves the source files of a runbook.
 *
 * @param mark Prefix of their names, to separate them from those of another runbook; default none.
 */
export async function keepSources(
  folder: string,
  files: readonly { readonly path: string; readonly text: string }[],
  mark = "",
): Promise<void> {
  for (const [index, file] of files.entries()) {
    const name = file.path.replaceAll(/[^A-Za-z0-9._-]+/g, "_").slice(-80);
    const place = mark === "" ? `${index}-${name}` : `${mark}-${index}-${name}`;
    // Sequential: a handful of small files.
    await writeFileAtomic(`${folder}/runbook/${place}`, file.text);
  }
}

async function refuseAnother(folder: string, id: string): Promise<void> {
  if (await readStat(`${folder}/${headerName}`) === undefined) return;
  throw new ConfigError(
    `Cannot start run "${id}": "${folder}" already contains a run`,
    {
      hint: `See: osctl runbook status ${id}`,
    },
  );
}

/**
 * Opens a run to resume it.
 *
 * @throws {ConfigError} If there is no such run, it was changed, or its journal is damaged.
 * @throws {LockedError} If another process is using it.
 */
export async function openRun(
  runs: string,
  id: string,
  now: () => Date,
): Promise<OpenRun> {
  const open = await openJournal(runs, id, now);
  try {
    const { folder, header, history } = open;
    refuseUnrecorded(open);
    await dropWishes(folder);
    const runbook = await readRunbook(folder, header, history.rebased);
    return { ...open, runbook };
  } catch (error) {
    open[Symbol.dispose]();
    throw error;
  }
}

/** Refuses a run whose journal does not cover its header: earlier versions recorded it when the first process started. */
function refuseUnrecorded({ header: { id }, history }: OpenJournal): void {
  if (history.header !== "" || history.start !== undefined) return;
  if (history.end !== undefined) return;
  throw new ConfigError(
    `Cannot resume run "${id}": its journal does not say what it was started with`,
    {
      hint:
        `Nothing was sent; start it again, and abort this one with: osctl runbook abort ${id} --reason "…"`,
    },
  );
}

/**
 * Opens a run to add a record, even if its runbook is damaged.
 *
 * @throws {ConfigError} If there is no such run, or its journal is damaged.
 * @throws {LockedError} If another process is using it.
 */
export async function openJournal(
  runs: string,
  id: string,
  now: () => Date,
): Promise<OpenJournal> {
  const folder = runFolder(runs, id);
  const stored = await readHeader(folder);
  if (stored === undefined) throw unknownRun(id);
  const lock = await lockRun(folder, id);
  const path = `${folder}/${journalName}`;
  let file: Deno.FsFile | undefined;
  try {
    file = await Deno.open(path, {
      read: true,
      write: true,
      create: true,
      append: true,
      mode: 0o600,
    });
    const history = new RunHistory();
    const read = await readJournal(
      readChunks(file),
      path,
      (record) => history.add(record),
    );
    if (read.end.seq === 0) throw emptyJournal(path, id);
    refuseChangedHeader(folder, stored, history);
    if (read.torn) await file.truncate(read.bytes);
    const opened = file;
    return {
      folder,
      header: stored.header,
      history,
      torn: read.torn,
      journal: writeJournal(openStore(opened), read.end, now, read.checksums),
      [Symbol.dispose]() {
        opened.close();
        lock[Symbol.dispose]();
      },
    };
  } catch (error) {
    file?.close();
    lock[Symbol.dispose]();
    throw error;
  }
}

function unknownRun(id: string): ConfigError {
  return new ConfigError(`Cannot find run "${id}"`, {
    hint: "List them with: osctl runbook history",
  });
}

/** Error for a journal that has lost its records: a resume would repeat everything. */
function emptyJournal(path: string, id: string): ConfigError {
  return new ConfigError(`Cannot read journal "${path}": it is empty`, {
    hint:
      `Restore it from a backup; otherwise check the nodes by hand, then remove the run with: osctl runbook gc ${id} --unfinished`,
  });
}

/** Reads a run without locking it. Throws `ConfigError` if there is no such run, or its journal is damaged. */
export async function readRun(runs: string, id: string): Promise<ListedRun> {
  const folder = runFolder(runs, id);
  const listed = await listedAt(folder);
  if (listed === undefined) throw unknownRun(id);
  return listed;
}

/**
 * Runs, newest first, except those whose header cannot be read.
 *
 * @param runs Folder of all runs; may be missing.
 * @param cluster Id of a cluster, to read only its runs; default all.
 * @throws {ConfigError} If a journal is damaged.
 */
export async function listRuns(
  runs: string,
  cluster?: string,
): Promise<readonly ListedRun[]> {
  const headers = (await listHeaders(runs))
    .filter((one) => cluster === undefined || one.cluster.id === cluster);
  const listed = await Array.fromAsync(
    mapInChunks(headers, ({ id }) => blockingRun(runs, id)),
  );
  return listed.flatMap((one) => one ?? []);
}

/** Reads a run. An unreadable run is an error, since it may be unfinished. */
async function blockingRun(
  runs: string,
  id: string,
): Promise<ListedRun | undefined> {
  try {
    return await listedAt(`${runs}/${id}`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.message, {
      cause: error,
      hint:
        `Check the nodes by hand, then remove the run with: osctl runbook gc ${id} --unfinished`,
    });
  }
}

async function listedAt(folder: string): Promise<ListedRun | undefined> {
  const stored = await readHeader(folder);
  if (stored === undefined) return undefined;
  const { header } = stored;
  const history = new RunHistory();
  const end = await readRecords(
    folder,
    (record) => history.add(record),
  );
  if (end.seq === 0) throw emptyJournal(`${folder}/${journalName}`, header.id);
  refuseChangedHeader(folder, stored, history);
  return { folder, header, history, held: await isHeld(folder) };
}

/** Size of the journal of a run, in bytes; it only grows. */
export async function journalSize(folder: string): Promise<number> {
  return (await readStat(`${folder}/${journalName}`))?.size ?? 0;
}

/** Reads the records of a run; one that is truncated, or still being written, is skipped. */
export async function readRecords(
  folder: string,
  take: Parameters<typeof readJournal>[2],
): Promise<JournalEnd> {
  const path = `${folder}/${journalName}`;
  try {
    using file = await Deno.open(path, { read: true });
    return (await readJournal(readChunks(file), path, take)).end;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return emptyEnd;
    throw error;
  }
}

/** Paths of the artifacts of a run, in order. */
export async function artifactsIn(folder: string): Promise<readonly string[]> {
  const place = `${folder}/artifacts`;
  const entries = await Array.fromAsync(Deno.readDir(place));
  return entries.map(({ name }) => `${place}/${name}`).toSorted();
}

async function* readChunks(file: Deno.FsFile): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(1 << 20);
  while (true) {
    const count = await file.read(buffer);
    if (count === null) return;
    yield buffer.slice(0, count);
  }
}

function openStore(file: Deno.FsFile): JournalStore {
  return {
    write: (bytes) => writeAll(file, bytes),
    sync: () => file.sync(),
  };
}
