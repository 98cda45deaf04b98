/** The file `vault.bin` in the folder of a run. */

import {
  readStat,
  syncFolder,
  writeFileAtomic,
} from "../../lib/files/atomic_file.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { ConfigError } from "../../errors.ts";
import type { Sealed, WrappedKey } from "./sealing.ts";

type VaultContent =
  | {
    readonly v: 1;
    readonly key: WrappedKey;
    readonly entries: Sealed;
  }
  | {
    readonly v: 1;
    /** The data key was destroyed, and with it the encrypted content. */
    readonly destroyed: true;
  };

const limitMib = 256;

/** Path of the vault of a run. */
export function vaultPath(folder: string): string {
  return `${folder}/vault.bin`;
}

/**
 * Reads a vault.
 *
 * @returns `undefined` if there is none.
 * @throws {ConfigError} If the file is damaged, or may not be read.
 */
export async function readVaultFile(
  folder: string,
): Promise<VaultContent | undefined> {
  const path = vaultPath(folder);
  const text = await readBoundedText({ path, limitMib, expected: "a vault" });
  if (text === undefined) return undefined;
  const content = parseContent(text);
  if (content === undefined) {
    throw new ConfigError(`Cannot read "${path}": it is damaged`, {
      hint: "Restore it from a backup",
    });
  }
  return content;
}

/**
 * Writes a vault atomically: a crash leaves the old or the new one.
 *
 * @throws {ConfigError} If writing fails.
 */
export async function writeVaultFile(
  folder: string,
  content: VaultContent,
): Promise<void> {
  await writeFileAtomic(vaultPath(folder), JSON.stringify(content));
  await syncFolder(folder);
}

/** Overwrites the wrapped data key and everything else with zeros, then marks it as destroyed. */
export async function wipeVaultFile(folder: string): Promise<void> {
  const path = vaultPath(folder);
  const size = (await readStat(path))?.size;
  if (size === undefined) return;
  {
    using file = await Deno.open(path, { write: true });
    const zeros = new Uint8Array(Math.min(size, 1 << 16));
    for (let left = size; left > 0;) {
      left -= await file.write(zeros.subarray(0, Math.min(left, zeros.length)));
    }
    await file.sync();
  }
  await writeVaultFile(folder, { v: 1, destroyed: true });
}

function parseContent(text: string): VaultContent | undefined {
  // A process crashed while writing zeros.
  if (/^\0+/.test(text)) return { v: 1, destroyed: true };
  const value = parseVault(text);
  if (value?.v !== 1) return undefined;
  if (value.destroyed === true) return { v: 1, destroyed: true };
  const { key, entries } = value;
  if (!isSealed(key) || !isSealed(entries)) return undefined;
  const wrapped = key as Sealed & Readonly<Record<string, unknown>>; // fields are checked here
  const isPassphrase = wrapped.way === "passphrase" &&
    isBase64(wrapped.salt) && typeof wrapped.rounds === "number";
  if (!isPassphrase && wrapped.way !== "file") return undefined;
  return { v: 1, key: key as WrappedKey, entries }; // checked above
}

function parseVault(
  text: string,
): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? { ...value }
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === "object" && value !== null && "iv" in value &&
    typeof value.iv === "string" && "sealed" in value &&
    typeof value.sealed === "string";
}

function isBase64(value: unknown): boolean {
  try {
    return typeof value === "string" && Uint8Array.fromBase64(value).length > 0;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
