/** What a run was begun with, as it stands in its folder; never changed. */

import { ConfigError } from "../../../errors.ts";
import type { Json } from "../../operation.ts";
import type { Runbook } from "../runbook.ts";

/** Name of the file that says what a run was begun with. */
export const headerName = "header.json";

/**
 * Name of a file that says what a run does.
 *
 * @param ir Its hash, for a runbook that was put in the place of the first.
 */
export function runbookName(ir = ""): string {
  return ir === "" ? "ir.json" : `ir-${ir.slice(0, 16)}.json`;
}

/** What a run was begun with; never changed. */
export interface RunHeader {
  /** Format. */
  readonly v: 1;
  /** Id of the run. */
  readonly id: string;
  /** Name of the runbook. */
  readonly runbook: string;
  /** File or `builtin:name` it was loaded from. */
  readonly source: string;
  /** SHA-256 of every file, hexadecimal, by its path. */
  readonly files: Readonly<Record<string, string>>;
  /** SHA-256 of the intermediate form, hexadecimal. */
  readonly ir: string;
  /** Values of the inputs; secrets as handles. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Context of the client configuration. */
  readonly context: string;
  /** The cluster. */
  readonly cluster: {
    /** Its id. */
    readonly id: string;
    /** Its name. */
    readonly name: string;
  };
  /** Who began it: user and host. */
  readonly operator: string;
  /** Version of this client. */
  readonly version: string;
  /** When, ISO 8601. */
  readonly at: string;
  /** Key of an outer engine, if it gave one. */
  readonly key?: string;
  /** Nodes the run is limited to, if it is. */
  readonly limit?: readonly string[];
}

/** SHA-256 of a text, hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/**
 * Reads what a run was begun with.
 *
 * @param folder Folder of the run.
 * @returns `undefined` when there is none.
 * @throws {ConfigError} If it is damaged.
 */
export async function readHeader(
  folder: string,
): Promise<RunHeader | undefined> {
  try {
    const text = await Deno.readTextFile(`${folder}/${headerName}`);
    // Written by `createRun` in one step.
    return JSON.parse(text) as RunHeader;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    throw new ConfigError(
      `Cannot read "${folder}/${headerName}": it is no JSON`,
    );
  }
}

/**
 * Reads what a run does.
 *
 * @param folder Folder of the run.
 * @param header What it was begun with.
 * @param rebased Hash of the runbook that was put in the place of the first; empty when none was.
 * @throws {ConfigError} If it is not what it was then.
 */
export async function readRunbook(
  folder: string,
  header: RunHeader,
  rebased = "",
): Promise<Runbook> {
  const path = `${folder}/${runbookName(rebased)}`;
  const text = await Deno.readTextFile(path);
  if (await sha256(text) !== (rebased || header.ir)) {
    throw new ConfigError(
      `Cannot go on with run "${header.id}": "${path}" is not what it was begun with`,
      {
        hint:
          "Put the file back as it was, or close the run with: osctl runbook abort",
      },
    );
  }
  // Its hash says that it is what `createRun` wrote.
  return JSON.parse(text) as Runbook;
}
