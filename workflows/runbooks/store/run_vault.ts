/** Vault of a run, opened with the operator's key. */

import type { Json } from "../../../lib/json.ts";
import { type OpenVault, openVault } from "../../vault/vault.ts";
import type { Environment } from "../../../terminal/environment.ts";

interface VaultPlace {
  readonly folder: string;
  readonly id: string;
  /** `--vault-key`. */
  readonly keyFile: string | undefined;
  /** Folder of the keys of runs; created if missing. */
  readonly keys: string;
  readonly environment: Pick<Environment, "env">;
}

/** Opens the vault of a run, or creates it. */
export async function openRunVault(
  { folder, id, keyFile, keys, environment: { env } }: VaultPlace,
): Promise<OpenVault> {
  const passphrase = env("OSCTL_VAULT_PASSPHRASE");
  if (passphrase) return await openVault(folder, { passphrase });
  if (keyFile !== undefined) return await openVault(folder, { keyFile });
  return await openVault(folder, { keyFile: `${keys}/${id}` });
}

/** Stores secret inputs in the vault. Returns handles, as recorded in the journal. */
export async function keepSecrets(
  vault: OpenVault,
  secrets: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): Promise<Readonly<Record<string, Json>>> {
  const handles: Record<string, Json> = {};
  for (const [name, value] of secrets) {
    handles[name] = { ...await vault.put(secretName(name), value) };
  }
  return handles;
}

/** Handles of secret inputs whose values are not needed. */
export function makeHandles(
  names: Iterable<string>,
): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    [...names].map((name) => [name, { secret: secretName(name) }]),
  );
}

function secretName(input: string): string {
  return `input/${input}`;
}
