/** The old and the new CA of a run, kept in the vault. */

import { ConfigError, RefusedError } from "../../errors.ts";
import type { RunResources } from "./run_resources.ts";
import type { SecretHandle, Vault } from "../vault/secrets.ts";
import type { CaKind } from "./trust_list.ts";
import type { Rotation } from "./trust_state.ts";

/** State a run keeps of the rotation of one CA. */
export interface KnownRotation extends Rotation {
  /** Certificate of the new one, PEM. */
  readonly crt: string;
  /** Certificate of the old one, PEM. */
  readonly oldCrt: string;
  /** Creation of the new CA, ISO 8601. */
  readonly madeAt: string;
}

/** Vault entry of a CA. */
export function rotationName(kind: CaKind): string {
  return `ca.${kind}`;
}

/** Vault entry of its key. */
export function keyName(kind: CaKind): string {
  return `ca.${kind}.key`;
}

/** Stores a rotation; its key must be in the vault already. */
export function keepRotation(
  vault: Vault,
  kind: CaKind,
  rotation: KnownRotation,
): Promise<SecretHandle> {
  const text = JSON.stringify(rotation);
  const name = rotationName(kind);
  return vault.put(name, new TextEncoder().encode(text), rotation.new);
}

/** Reads a rotation; `undefined` before the new CA was created. */
export async function findRotation(
  vault: Pick<Vault, "find" | "read">,
  kind: CaKind,
): Promise<KnownRotation | undefined> {
  const handle = vault.find(rotationName(kind));
  if (handle === undefined) return undefined;
  const text = new TextDecoder().decode(await vault.read(handle));
  // Only `keepRotation` writes it.
  return JSON.parse(text) as KnownRotation;
}

/**
 * Reads the rotation, which is required.
 *
 * @param handle Input of the step; must be that of this run.
 * @throws {ConfigError} If the run has none.
 */
export async function readRotation(
  { vault }: Pick<RunResources, "vault">,
  kind: CaKind,
  handle?: SecretHandle,
): Promise<KnownRotation> {
  const found = await findRotation(vault, kind);
  if (found === undefined) {
    throw new ConfigError(`This run has no new CA "${kind}"`, {
      hint: "Generate one with ca.generate first",
    });
  }
  if (handle !== undefined && handle.secret !== rotationName(kind)) {
    throw new RefusedError(
      `Secret "${handle.secret}" is not the new CA "${kind}" of this run`,
    );
  }
  return found;
}

/** Private key of the new CA. Returns PEM. */
export async function newCaKey(
  { vault }: Pick<RunResources, "vault">,
  kind: CaKind,
): Promise<string> {
  const key = await vault.read({ secret: keyName(kind) });
  return new TextDecoder().decode(key);
}
