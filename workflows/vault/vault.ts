/** Encrypted secrets in the folder of a run. */

import { readStat, writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { readBoundedBytes } from "../../lib/files/bounded_file.ts";
import { learnSecret } from "../../config/documents/load.ts";
import { type Masker, processMasker } from "../../lib/masker.ts";
import { ConfigError, RefusedError } from "../../errors.ts";
import type { SecretHandle, Vault } from "./secrets.ts";
import {
  newDataKey,
  seal,
  unseal,
  unwrapKey,
  usualRounds,
  type VaultKey,
  wrapKey,
  type WrappedKey,
} from "./sealing.ts";
import { readVaultFile, wipeVaultFile, writeVaultFile } from "./vault_file.ts";

type KeySource =
  | {
    /** Passphrase, typed or from the environment; at least 8 characters. */
    readonly passphrase: string;
    /** PBKDF2 iterations for a new vault; default 600 000. */
    readonly rounds?: number;
  }
  | {
    /** Key file outside of the folder of the run; created with the vault if missing. */
    readonly keyFile: string;
  };

/** An open vault. */
export interface OpenVault extends Vault {
  /** Masks the secrets of the vault in texts. */
  readonly masker: Masker;
  /** Makes the entries permanently unreadable; the vault is unusable afterwards. */
  readonly destroyKey: () => Promise<void>;
}

interface VaultEntry {
  readonly name: string;
  readonly value: Uint8Array<ArrayBuffer>;
  readonly fingerprint?: string | undefined;
}

/** Minimum length of a secret: masking shorter ones would hide other text. */
const least = 8;

const entriesPurpose = "osctl vault entries";

/**
 * Opens the vault of a run, or creates a missing one.
 *
 * @throws {ConfigError} If the key is wrong or was destroyed, or the file is damaged.
 */
export async function openVault(
  folder: string,
  source: KeySource,
): Promise<OpenVault> {
  const content = await readVaultFile(folder);
  if (content !== undefined && "destroyed" in content) {
    throw new ConfigError(
      `Cannot open the vault of "${folder}": its key was destroyed when the run succeeded`,
    );
  }
  if (content === undefined) {
    const key = await loadKey(source, folder, true);
    const dataKey = await newDataKey();
    const rounds = "rounds" in source ? source.rounds : undefined;
    const wrapped = await wrapKey(dataKey, key, rounds ?? usualRounds);
    const vault = makeVault({ folder, dataKey, wrapped, entries: [] });
    await vault.flush();
    return vault;
  }
  const key = await loadKey(source, folder, false);
  const dataKey = await unwrapKey(content.key, key);
  const plain = await unseal(dataKey, content.entries, entriesPurpose);
  if (plain === undefined) {
    throw new ConfigError(
      `Cannot open the vault of "${folder}": it is damaged`,
      { hint: "Restore it from a backup" },
    );
  }
  const entries = decodeEntries(plain);
  return makeVault({ folder, dataKey, wrapped: content.key, entries });
}

function makeVault({ folder, dataKey, wrapped, entries }: {
  readonly folder: string;
  readonly dataKey: CryptoKey;
  readonly wrapped: WrappedKey;
  readonly entries: readonly VaultEntry[];
}): OpenVault & { readonly flush: () => Promise<void> } {
  for (const { value } of entries) learnSecret(value);
  let known = new Map(entries.map((entry) => [entry.name, entry]));
  let isGone = false;
  // Serializes writes: each replaces the whole file.
  let last: Promise<unknown> = Promise.resolve();

  async function write(all: readonly VaultEntry[]): Promise<void> {
    const sealed = await seal(dataKey, encodeEntries(all), entriesPurpose);
    await writeVaultFile(folder, { v: 1, key: wrapped, entries: sealed });
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(() => {
      if (isGone) throw new RefusedError("The key of the vault was destroyed");
      return work();
    });
    last = done.catch(() => {});
    return done;
  }

  function findEntry(name: string): VaultEntry {
    const entry = known.get(name);
    if (entry !== undefined) return entry;
    throw new ConfigError(
      `Cannot read secret "${name}": it is not in the vault`,
    );
  }

  return {
    masker: processMasker,
    flush: () => inTurn(() => write([...known.values()])),
    put: (name, value, fingerprint) =>
      inTurn(async () => {
        const old = known.get(name);
        const entry: VaultEntry = { name, value: value.slice(), fingerprint };
        if (old !== undefined) {
          if (!isSame(old.value, value)) {
            throw new RefusedError(
              `The vault already has a different secret "${name}"`,
            );
          }
          return makeHandle(old);
        }
        if (value.length < least) {
          throw new ConfigError(
            `Cannot keep secret "${name}": it has ${value.length} bytes, and at least ${least} are needed`,
          );
        }
        // Registers it before it can be printed.
        learnSecret(value);
        const next = new Map([...known, [name, entry]]);
        await write([...next.values()]);
        known = next;
        return makeHandle(entry);
      }),
    find: (name) => {
      const entry = known.get(name);
      return entry && makeHandle(entry);
    },
    read: async ({ secret }) => {
      await last;
      return findEntry(secret).value.slice();
    },
    names: () => [...known.keys()],
    destroyKey: () =>
      inTurn(async () => {
        await wipeVaultFile(folder);
        isGone = true;
        known = new Map();
      }),
  };
}

function makeHandle({ name, fingerprint }: VaultEntry): SecretHandle {
  return {
    secret: name,
    ...(fingerprint === undefined ? {} : { fingerprint }),
  };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function encodeEntries(
  entries: readonly VaultEntry[],
): Uint8Array<ArrayBuffer> {
  const plain = entries.map(({ value, ...rest }) => ({
    ...rest,
    value: value.toBase64(),
  }));
  return new TextEncoder().encode(JSON.stringify(plain));
}

function decodeEntries(plain: Uint8Array): readonly VaultEntry[] {
  // The content is authenticated.
  const entries = JSON.parse(new TextDecoder().decode(plain)) as readonly {
    readonly name: string;
    readonly value: string;
    readonly fingerprint?: string;
  }[];
  return entries.map((entry) => ({
    ...entry,
    value: Uint8Array.fromBase64(entry.value),
  }));
}

async function loadKey(
  source: KeySource,
  folder: string,
  isNew: boolean,
): Promise<VaultKey> {
  if ("passphrase" in source) {
    processMasker.add(source.passphrase);
    return source;
  }
  const { keyFile } = source;
  await refuseInside(keyFile, folder);
  if (isNew && await readStat(keyFile) === undefined) {
    const made = crypto.getRandomValues(new Uint8Array(32));
    await writeFileAtomic(keyFile, made, { overwrite: false });
  }
  const bytes = await readBoundedBytes({
    path: keyFile,
    limitMib: 1,
    expected: "a key file",
  });
  if (bytes !== undefined) {
    processMasker.add(bytes);
    return { bytes: bytes.slice() };
  }
  throw new ConfigError(`Cannot read "${keyFile}": no such file`, {
    hint: "The vault of the run cannot be opened without this file",
  });
}

/** A key file in the run's folder would protect nothing when the folder is shared. */
async function refuseInside(keyFile: string, folder: string): Promise<void> {
  const inside = `${await Deno.realPath(folder)}/`;
  const parent = keyFile.includes("/")
    ? keyFile.slice(0, keyFile.lastIndexOf("/")) || "/"
    : ".";
  const place = await resolveRealPath(parent);
  if (place === undefined || !`${place}/`.startsWith(inside)) return;
  throw new ConfigError(
    `Cannot use key file "${keyFile}": it is in the folder of the run`,
    { hint: "Use a file outside that folder" },
  );
}

async function resolveRealPath(path: string): Promise<string | undefined> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
