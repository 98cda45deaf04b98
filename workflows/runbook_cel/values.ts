/** Values under `with`, as modules take them: checked against their fields already. */

import { ConfigError } from "../../errors.ts";
import type { Json } from "../../lib/json.ts";
import type { SecretHandle } from "../vault/secrets.ts";

/** What is under `with`. */
export type ModuleInput = Readonly<Record<string, Json>>;

/** Text of a value; `undefined` when none is given. */
export function readText(
  values: ModuleInput,
  name: string,
): string | undefined {
  const value = values[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * A value out of a few.
 *
 * @param known What it may be; the first when none is given.
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

/** Truth of a value. */
export function readTruth(
  values: ModuleInput,
  name: string,
  initial: boolean,
): boolean {
  const value = values[name];
  return typeof value === "boolean" ? value : initial;
}

/** Handle of a secret. Returns `undefined` when none is given. Throws `ConfigError` if it is not a handle. */
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

/** The same, for those who cannot do without. Throws `ConfigError` if none is given. */
export function givenHandle(values: ModuleInput, name: string): SecretHandle {
  const handle = readHandle(values, name);
  if (handle !== undefined) return handle;
  throw new ConfigError(`Cannot continue without ${name}: no secret was given`);
}

/** A handle as it is in outputs. */
export function toJson({ secret, fingerprint }: SecretHandle): Json {
  return { secret, ...(fingerprint === undefined ? {} : { fingerprint }) };
}
