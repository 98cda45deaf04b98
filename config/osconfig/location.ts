/** Where the client configuration and what belongs to it are found. */

import { legacyEnvironment, serviceAccountConfigPath } from "../../dialect.ts";
import { ConfigError } from "../../errors.ts";

/** What the search looks at. */
export interface Surroundings {
  /** Value of an environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Tells whether something is at a path; also true when it may not be read. */
  readonly exists: (path: string) => Promise<boolean>;
}

/** A client configuration that may or may not exist yet. */
export interface OsconfigLocation {
  /** Path of the file. */
  readonly path: string;
  /** False for the file that a pod is given, which no command may change. */
  readonly writable: boolean;
}

/**
 * Finds the client configuration: the path given, else `$OSCONFIG` if it is
 * set, else the first that exists of `<home>/config` and the file of a pod's
 * service account, else `<home>/config`. Nothing is created.
 *
 * Source: specification 4.1. Names the peer gives to the variables count after ours.
 *
 * @throws {ConfigError} If there is no file and no home directory to put one in.
 */
export async function locateOsconfig(
  explicit: string | undefined,
  surroundings: Surroundings,
): Promise<OsconfigLocation> {
  const { env, exists } = surroundings;
  const named = explicit || variable("OSCONFIG", env);
  if (named !== undefined) return { path: named, writable: true };
  const home = homeDirectory(env);
  const own = home === undefined ? undefined : `${home}/config`;
  if (own !== undefined && await exists(own)) {
    return { path: own, writable: true };
  }
  if (await exists(serviceAccountConfigPath)) {
    return { path: serviceAccountConfigPath, writable: false };
  }
  return { path: own ?? missingHome("osconfig"), writable: true };
}

/**
 * Finds the directory of PGP keys for proxies: the one given, else `$OSV1_KEYS_DIR`, else
 * `<home>/keys`. Throws `ConfigError` if none is given and there is no home directory.
 */
export function locateKeys(
  explicit: string | undefined,
  env: Surroundings["env"],
): string {
  const named = explicit || variable("OSV1_KEYS_DIR", env);
  if (named !== undefined) return named;
  return `${homeDirectory(env) ?? missingHome("keys")}/keys`;
}

/**
 * Finds the directory of the journals of operations, `<home>/operations`. Throws `ConfigError` if
 * there is no home directory.
 */
export function locateOperations(env: Surroundings["env"]): string {
  return `${homeDirectory(env) ?? missingHome("operations")}/operations`;
}

/**
 * Finds the directory of the runs of runbooks, `<home>/runs`. Throws `ConfigError` if there is no
 * home directory.
 */
export function locateRuns(env: Surroundings["env"]): string {
  return `${homeDirectory(env) ?? missingHome("runs")}/runs`;
}

/**
 * Finds the directory of the locks that runs on this machine hold on clusters, `<home>/locks`.
 * Throws `ConfigError` if there is no home directory.
 */
export function locateRunLocks(env: Surroundings["env"]): string {
  return `${homeDirectory(env) ?? missingHome("locks")}/locks`;
}

/**
 * Finds the file that says which runbooks in TypeScript the user trusts,
 * `<home>/trusted-runbooks.json`. Throws `ConfigError` if there is no home directory.
 */
export function locateTrust(env: Surroundings["env"]): string {
  const home = homeDirectory(env) ?? missingHome("trusted-runbooks.json");
  return `${home}/trusted-runbooks.json`;
}

/**
 * Finds the file with the fingerprints of servers that were given secrets without a CA to vouch for
 * them, `<home>/known-servers.json`. Returns `undefined` without a home directory: nothing is
 * remembered.
 */
export function locateServers(env: Surroundings["env"]): string | undefined {
  const home = homeDirectory(env);
  return home === undefined ? undefined : `${home}/known-servers.json`;
}

/**
 * Finds the files that say which runbooks in TypeScript may be trusted at all: that of the machine,
 * and that of the user. Either may be missing.
 */
export function locateRunbookPolicies(
  env: Surroundings["env"],
): readonly string[] {
  const home = homeDirectory(env);
  return [
    "/etc/osctl/runbook-policy.yaml",
    ...(home === undefined ? [] : [`${home}/runbook-policy.yaml`]),
  ];
}

/**
 * Finds the directory that holds what osctl keeps: `$OS_HOME` if it is an absolute path, else `.os`
 * in the user's home directory. Returns path without a slash at its end; `undefined` without a home
 * directory.
 */
export function homeDirectory(env: Surroundings["env"]): string | undefined {
  const own = variable("OS_HOME", env);
  if (own !== undefined && isAbsolute(own)) return withoutSlash(own);
  const user = env("HOME") || env("USERPROFILE");
  return user ? `${withoutSlash(user)}/.os` : undefined;
}

function variable(
  name: keyof typeof legacyEnvironment,
  env: Surroundings["env"],
): string | undefined {
  return env(name) || env(legacyEnvironment[name]) || undefined;
}

function isAbsolute(path: string): boolean {
  return /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path);
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function missingHome(what: string): never {
  throw new ConfigError(`Cannot find a place for "${what}": HOME is not set`, {
    hint: "Set HOME or OS_HOME, or give the path",
  });
}
