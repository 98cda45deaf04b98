/** Header of a run, in its folder; never changed. */

import { sha256Hex } from "../../../lib/sha256.ts";
import { ConfigError } from "../../../errors.ts";
import { isRecord, type Json } from "../../../lib/json.ts";
import type { RunHistory } from "../journal/history.ts";
import type { Runbook } from "../runbook.ts";
import { mapInChunks } from "./map_in_chunks.ts";

/** Name of the header file. */
export const headerName = "header.json";

/** Name of the runbook file. `ir`: hash of the runbook that replaced the first, if one did. */
export function runbookName(ir = ""): string {
  return ir === "" ? "ir.json" : `ir-${ir.slice(0, 16)}.json`;
}

/** Header of a run: the state it was started with. Never changed. */
export interface RunHeader {
  /** Version of the format of the journal: 1 has records with keys of one letter. */
  readonly v: 1 | 2;
  readonly id: string;
  readonly runbook: string;
  /** File or `builtin:name` of the runbook. */
  readonly source: string;
  /** SHA-256 of each file, hexadecimal, by its path. */
  readonly files: Readonly<Record<string, string>>;
  /** SHA-256 of the intermediate form, hexadecimal. */
  readonly ir: string;
  /** Values of the inputs; secrets as handles. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** SHA-256 of the files that it reads, hexadecimal, by path; absent in runs of earlier versions. */
  readonly readFiles?: Readonly<Record<string, string>>;
  /** Context of the client configuration. */
  readonly context: string;
  readonly cluster: {
    readonly id: string;
    readonly name: string;
  };
  /** True if the run creates the cluster. */
  readonly creates?: true;
  /** User and host that started it. */
  readonly operator: string;
  readonly version: string;
  /** When, ISO 8601. */
  readonly at: string;
  /** Key of an outer engine, if given. */
  readonly key?: string;
  /** Nodes the run is limited to, if any. */
  readonly limit?: readonly string[];
}

interface StoredHeader {
  readonly header: RunHeader;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
}

/** Reads the header of a run. Returns `undefined` if there is none. Throws `ConfigError` if it is damaged. */
export async function readHeader(
  folder: string,
): Promise<StoredHeader | undefined> {
  try {
    const text = await Deno.readTextFile(`${folder}/${headerName}`);
    const value: unknown = JSON.parse(text);
    if (isHeader(value)) {
      return { header: value, sha256: await sha256Hex(text) };
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    throw new ConfigError(
      `Cannot read "${folder}/${headerName}": it is not JSON`,
    );
  }
  throw new ConfigError(
    `Cannot read "${folder}/${headerName}": it does not describe a run`,
  );
}

function isHeader(value: unknown): value is RunHeader {
  const isText = (text: unknown) => typeof text === "string";
  if (!isRecord(value)) return false;
  const { id, runbook, source, ir, context, operator, version, at } = value;
  const { v, files, inputs, cluster, key = "", limit = [] } = value;
  return (v === 1 || v === 2) && isRecord(files) && isRecord(inputs) &&
    isRecord(cluster) &&
    [id, runbook, source, ir, context, operator, version, at, key]
      .every(isText) &&
    isText(cluster.id) && isText(cluster.name) &&
    Array.isArray(limit) && limit.every(isText);
}

/**
 * Refuses a header that was changed since the start of the run.
 *
 * @param recorded Journal data about it. Versions that did not record its hash recorded runbook, files and inputs.
 * @throws {ConfigError} If it was changed.
 */
export function refuseChangedHeader(
  folder: string,
  { header, sha256 }: StoredHeader,
  recorded: Pick<RunHistory, "header" | "start" | "set">,
): void {
  const isSame = recorded.header === ""
    ? agrees(header, recorded)
    : recorded.header === sha256;
  if (isSame) return;
  throw new ConfigError(
    `Cannot use "${folder}/${headerName}": it has changed since the run started`,
    {
      hint:
        `Restore it from a backup; otherwise check the nodes by hand, then remove the run with: osctl runbook gc ${header.id} --unfinished`,
    },
  );
}

function agrees(
  { ir, files, inputs }: RunHeader,
  { start, set }: Pick<RunHistory, "start" | "set">,
): boolean {
  // Nothing was sent before the first process started.
  if (start === undefined) return true;
  const changed = Object.fromEntries(set);
  // Both were written in the same order.
  const [then, now] = [
    { files: start.files, inputs: { ...start.inputs, ...changed } },
    { files, inputs: { ...inputs, ...changed } },
  ];
  return start.ir === ir && JSON.stringify(then) === JSON.stringify(now);
}

/**
 * Reads the runbook of a run.
 *
 * @param rebased Hash of the runbook that replaced the first; empty if none did.
 * @throws {ConfigError} If it was changed.
 */
export async function readRunbook(
  folder: string,
  header: RunHeader,
  rebased = "",
): Promise<Runbook> {
  const path = `${folder}/${runbookName(rebased)}`;
  const text = await Deno.readTextFile(path);
  if (await sha256Hex(text) !== (rebased || header.ir)) {
    throw new ConfigError(
      `Cannot resume run "${header.id}": "${path}" has changed since the run started`,
      {
        hint: "Restore the file",
        alternatives: [
          `Or abort the run with: osctl runbook abort ${header.id} --reason "…"`,
        ],
      },
    );
  }
  // The hash proves that `createRun` wrote it.
  return JSON.parse(text) as Runbook;
}

/**
 * Lists the headers of all runs, newest first, without reading anything else. Unreadable ones are skipped.
 *
 * @param runs Folder of all runs; may be missing.
 */
export async function listHeaders(runs: string): Promise<readonly RunHeader[]> {
  return (await surveyHeaders(runs)).headers;
}

interface HeaderSurvey {
  /** Readable headers, newest first. */
  readonly headers: readonly RunHeader[];
  /** Folders with unreadable headers, with the reason. */
  readonly damaged: readonly {
    readonly folder: string;
    readonly problem: string;
  }[];
}

/** Reads the headers of all runs, without reading anything else. `runs`: folder of all runs; may be missing. */
export async function surveyHeaders(runs: string): Promise<HeaderSurvey> {
  const folders: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(runs)) {
      if (isDirectory) folders.push(`${runs}/${name}`);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const damaged: { readonly folder: string; readonly problem: string }[] = [];
  const read = async (folder: string) => {
    try {
      return (await readHeader(folder))?.header;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      damaged.push({ folder, problem: error.message });
      return undefined;
    }
  };
  const headers = await Array.fromAsync(mapInChunks(folders, read));
  return {
    headers: headers.flatMap((one) => one ?? [])
      .toSorted((a, b) => formatOrder(a) < formatOrder(b) ? 1 : -1),
    damaged: damaged.toSorted((a, b) => a.folder < b.folder ? -1 : 1),
  };
}

function formatOrder({ at, id }: RunHeader): string {
  return `${at} ${id}`;
}
