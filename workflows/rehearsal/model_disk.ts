/** Disk of a simulated process: the journal of a run, its secrets, and its files. */

import { dirname, resolve } from "node:path";
import { RefusedError } from "../../errors.ts";
import { RunHistory } from "../runbooks/journal/history.ts";
import { readJournal } from "../runbooks/journal/reader.ts";
import type { JournalRecord } from "../runbooks/journal/record.ts";
import {
  type JournalStore,
  type KeptJournal,
  writeJournal,
} from "../runbooks/journal/writer.ts";
import type { SeenFile } from "./invariants/evidence.ts";
import type { Module, Outputs } from "../modules/module.ts";
import type { Vault } from "../vault/secrets.ts";
import type { Json } from "../../lib/json.ts";
import type { FieldType } from "../runbook_cel/field.ts";
import type { Runbook } from "../runbooks/runbook.ts";

/** A disk, which outlives processes. */
export interface Disk {
  /** Folder of the run; its files are in `artifacts`. */
  readonly folder: string;
  /** Paths of these files, sorted. */
  readonly files: () => Promise<readonly string[]>;
  readonly contents: () => Promise<readonly SeenFile[]>;
  /** Secrets; not encrypted here. */
  readonly vault: Vault;
  /** All secrets that were ever stored. */
  readonly secrets: () => readonly Uint8Array[];
  /** The journal, one line for each record. */
  readonly journalText: () => string;
  readonly records: () => Promise<readonly JournalRecord[]>;
  readonly length: () => number;
  /** Opens the journal for a process. `through`: wraps the disk of the process. */
  readonly open: (
    through: (store: JournalStore) => JournalStore,
    now: () => Date,
  ) => Promise<OpenedDisk>;
  /** Copies the disk; files are shared. */
  readonly copy: () => Disk;
}

interface OpenedDisk {
  readonly history: RunHistory;
  readonly journal: KeptJournal;
}

interface Secret {
  readonly value: Uint8Array<ArrayBuffer>;
  readonly fingerprint: string | undefined;
}

/** Creates an empty disk. */
export async function newDisk(folder: string): Promise<Disk> {
  await Deno.mkdir(`${folder}/artifacts`, { recursive: true, mode: 0o700 });
  return openDisk(folder, [], new Map());
}

function openDisk(
  folder: string,
  lines: Uint8Array[],
  secrets: Map<string, Secret>,
): Disk {
  const store: JournalStore = {
    write: (bytes) => Promise.resolve(void lines.push(bytes)),
    sync: () => Promise.resolve(),
  };

  async function fold(take: (record: JournalRecord) => void) {
    return await readJournal(lines, "journal", take);
  }

  const artifacts = `${folder}/artifacts`;
  return {
    folder,
    files: () => filesIn(artifacts),
    contents: async () =>
      await Promise.all(
        (await filesIn(artifacts)).map(async (path) => ({
          path,
          bytes: await Deno.readFile(path),
        })),
      ),
    vault: openVault(secrets),
    secrets: () => [...secrets.values()].map(({ value }) => value),
    journalText: () => lines.map((line) => decoder.decode(line)).join(""),
    length: () => lines.length,
    async records() {
      const records: JournalRecord[] = [];
      await fold((record) => records.push(record));
      return records;
    },
    async open(through, now) {
      const history = new RunHistory();
      const { end, checksums } = await fold((record) => history.add(record));
      const journal = writeJournal(through(store), end, now, checksums);
      return { history, journal };
    },
    copy: () => openDisk(folder, [...lines], new Map(secrets)),
  };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    // Sequential: there are few.
    paths.push(...isDirectory ? await filesIn(path) : [path]);
  }
  return paths.toSorted();
}

const decoder = new TextDecoder();

function openVault(secrets: Map<string, Secret>): Vault {
  function find(name: string): ReturnType<Vault["find"]> {
    const known = secrets.get(name);
    if (known === undefined) return undefined;
    const { fingerprint } = known;
    return fingerprint === undefined
      ? { secret: name }
      : { secret: name, fingerprint };
  }
  return {
    find,
    names: () => [...secrets.keys()],
    put(name, value, fingerprint) {
      const known = secrets.get(name);
      if (known !== undefined && known.value.toHex() !== value.toHex()) {
        throw new RefusedError(`Secret "${name}" has another value`);
      }
      secrets.set(name, { value, fingerprint });
      return Promise.resolve(find(name)!); // set above
    },
    read({ secret }) {
      const known = secrets.get(secret);
      if (known === undefined) {
        throw new RefusedError(`There is no secret "${secret}"`);
      }
      return Promise.resolve(known.value);
    },
  };
}

/** Redirects paths in inputs into a folder; existing files are copied. */
export async function inScratch(
  runbook: Pick<Runbook, "inputs">,
  values: Readonly<Record<string, Json>>,
  folder: string,
): Promise<Readonly<Record<string, Json>>> {
  const changed: Record<string, Json> = {};
  for (const [name, { type }] of Object.entries(runbook.inputs)) {
    const value = values[name];
    if (type !== "path" || typeof value !== "string") continue;
    const own = `${folder}/inputs/${name}`;
    await Deno.mkdir(own, { recursive: true, mode: 0o700 });
    const path = `${own}/${value.split("/").at(-1)}`;
    await copyIfPresent(value, path);
    changed[name] = path;
  }
  return { ...values, ...changed };
}

async function copyIfPresent(from: string, to: string): Promise<void> {
  try {
    await Deno.copyFile(from, to);
  } catch (error) {
    // It is an output file.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/**
 * Redirects a module's paths into a folder: literal paths of a runbook, and derived ones. Existing files are copied on
 * first use, so that a step finds the output of an earlier one.
 *
 * @param disk Its folder; paths in the parent folder are kept.
 */
export function redirectPaths(
  module: Module,
  { folder }: Pick<Disk, "folder">,
): Module {
  const scratch = folder.slice(0, folder.lastIndexOf("/"));
  const isOurs = (from: string) => from.startsWith(`${scratch}/`);

  async function own(path: string): Promise<string> {
    const from = resolve(path);
    // Standard input or output.
    if (["", "-"].includes(path) || isOurs(from)) return path;
    const to = `${folder}/files${from}`;
    await Deno.mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await copiedOnce(from, to);
    return to;
  }

  /** Path of an input file, redirected if an earlier step has written it. */
  async function toScratch(text: string): Promise<string> {
    const [, at = "", path = ""] = /^(@?)(.*)$/s.exec(text) ?? [];
    if (path === "" || path.length > longestPath) return text;
    const to = `${folder}/files${resolve(path)}`;
    return await isThere(to) ? `${at}${to}` : text;
  }

  async function redirectValue(type: FieldType | undefined, value: Json) {
    if (typeof value === "string") {
      return type === "path" ? await own(value) : await toScratch(value);
    }
    if (!Array.isArray(value)) return value;
    const items: Json[] = [];
    for (const item of value) {
      // Sequential: they may be the same.
      items.push(typeof item === "string" ? await toScratch(item) : item);
    }
    return items;
  }

  async function within(given: Outputs): Promise<Outputs> {
    const hasPath = Object.values(module.input)
      .some(({ type }) => type === "path");
    // Without written files there is nothing to redirect.
    if (!hasPath && !await isThere(`${folder}/files`)) return given;
    const values: Record<string, Json> = {};
    for (const [name, value] of Object.entries(given)) {
      values[name] = await redirectValue(module.input[name]?.type, value);
    }
    return values;
  }

  return module.kind === "read"
    ? {
      ...module,
      async *read(context, given) {
        return yield* module.read(context, await within(given));
      },
    }
    : {
      ...module,
      prepare: async (context, given) =>
        module.prepare(context, await within(given)),
    };
}

const longestPath = 4096;

/** Copies a file once; of a folder only the folder itself. */
async function copiedOnce(from: string, to: string): Promise<void> {
  if (await isThere(to)) return;
  const { isDirectory = false } = await Deno.stat(from).catch(() => ({
    isDirectory: undefined,
  }));
  if (isDirectory) await Deno.mkdir(to, { mode: 0o700 });
  else await copyIfPresent(from, to);
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
