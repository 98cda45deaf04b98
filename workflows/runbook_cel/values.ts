/** Values under `with`, as passed to modules: already checked against their fields. */

import { ConfigError } from "../../errors.ts";
import type { Json } from "../../lib/json.ts";
import type { SecretHandle } from "../vault/secrets.ts";

/** Values under `with`. */
export type ModuleInput = Readonly<Record<string, Json>>;

/** Reads a string; `undefined` if not set. */
export function readText(
  values: ModuleInput,
  name: string,
): string | undefined {
  const value = values[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Reads one of several choices.
 *
 * @param known Possible values; the first is the default.
 * @throws {ConfigError} If it is something else.
 */
export function readChoice<const Choice extends string>(
  values: ModuleInput,
  name: string,
  known: readonly [Choice, ...Choice[]],
): Choice {
  const value = values[name] ?? known[0];
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw new ConfigError(
    `Cannot use "${String(value)}" as ${name}: it must be one of ${
      known.join(", ")
    }`,
  );
}

/** Reads a boolean. */
export function readTruth(
  values: ModuleInput,
  name: string,
  initial: boolean,
): boolean {
  const value = values[name];
  return typeof value === "boolean" ? value : initial;
}

/** Reads the handle of a secret. Returns `undefined` if not set. Throws `ConfigError` if it is not a handle. */
export function readHandle(
  values: ModuleInput,
  name: string,
): SecretHandle | undefined {
  const value = values[name];
  if (value === undefined || value === null || value === "") return undefined;
  const isHandle = typeof value === "object" && "secret" in value &&
    typeof value.secret === "string";
  if (isHandle) return value as unknown as SecretHandle; // checked above
  throw new ConfigError(`Cannot use ${name}: it is not a secret`);
}

/** Reads a required handle. Throws `ConfigError` if not set. */
export function givenHandle(values: ModuleInput, name: string): SecretHandle {
  const handle = readHandle(values, name);
  if (handle !== undefined) return handle;
  throw new ConfigError(`Cannot continue without ${name}: no secret was given`);
}

/** Converts a handle to its form in outputs. */
export function toJson({ secret, fingerprint }: SecretHandle): Json {
  return { secret, ...(fingerprint === undefined ? {} : { fingerprint }) };
}
