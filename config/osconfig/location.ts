/** Paths of the client configuration and related files. */

import {
  legacyEnvironment,
  legacyHome,
  serviceAccountConfigPath,
} from "../../talos.ts";
import { ConfigError } from "../../errors.ts";

type Env = (name: string) => string | undefined;

interface LocationSources {
  readonly env: Env;
  /** Reports whether a path exists, also if it is not readable. */
  readonly exists: (path: string) => Promise<boolean>;
}

/** A client configuration, which may not exist yet. */
export interface OsconfigLocation {
  readonly path: string;
  /** False for the file of a pod, which no command may change. */
  readonly writable: boolean;
}

/**
 * Locates the client configuration: the given path, else `$OSCONFIG` if set, else the first existing one of
 * `<home>/config`, talosctl's file in the user's home directory and the file of a pod's service account, else
 * `<home>/config`. Creates nothing.
 *
 * Source: specification 4.1. talosctl's environment variables count after ours.
 *
 * @throws {ConfigError} If there is no file and no home directory for one.
 */
export async function locateOsconfig(
  explicit: string | undefined,
  sources: LocationSources,
): Promise<OsconfigLocation> {
  const { env, exists } = sources;
  const named = explicit || variable("OSCONFIG", env);
  if (named !== undefined) return { path: named, writable: true };
  const homes = inHomes(env);
  for (const path of homes) {
    if (await exists(path)) return { path, writable: true };
  }
  if (await exists(serviceAccountConfigPath)) {
    return { path: serviceAccountConfigPath, writable: false };
  }
  return { path: homes[0] ?? missingHome("osconfig"), writable: true };
}

/**
 * Lists the paths checked by {@linkcode locateOsconfig}, in order, for a message about missing files.
 *
 * @returns Empty if the path or the variable is set.
 */
export function osconfigPlaces(
  explicit: string | undefined,
  env: Env,
): readonly string[] {
  if (explicit || variable("OSCONFIG", env) !== undefined) return [];
  return [
    "$OSCONFIG",
    `$${legacyEnvironment.OSCONFIG}`,
    ...inHomes(env),
    serviceAccountConfigPath,
  ];
}

/** Files in home directories; talosctl's directory is ignored if `$OS_HOME` is set. */
function inHomes(env: Env): readonly string[] {
  const home = homeDirectory(env);
  if (home === undefined) return [];
  const user = userHome(env);
  return user === undefined || home !== `${user}/.os`
    ? [`${home}/config`]
    : [`${home}/config`, `${user}/${legacyHome}/config`];
}

/** Directory of PGP keys for proxies: the given one, else `$OSV1_KEYS_DIR`, else `<home>/keys`. */
export function locateKeys(explicit: string | undefined, env: Env): string {
  return explicit || variable("OSV1_KEYS_DIR", env) || inHome("keys", env);
}

/** Directory of operation journals, `<home>/operations`. */
export function locateOperations(env: Env): string {
  return inHome("operations", env);
}

/** Directory of runbook runs, `<home>/runs`. */
export function locateRuns(env: Env): string {
  return inHome("runs", env);
}

/** Directory of the cluster locks of runs on this machine, `<home>/locks`. */
export function locateRunLocks(env: Env): string {
  return inHome("locks", env);
}

/** File with the TypeScript runbooks that the user trusts, `<home>/trusted-runbooks.json`. */
export function locateTrust(env: Env): string {
  return inHome("trusted-runbooks.json", env);
}

/**
 * File with the fingerprints of servers that received secrets without a CA to verify them,
 * `<home>/known-servers.json`. Returns `undefined` without a home directory: nothing is stored.
 */
export function locateServers(env: Env): string | undefined {
  const home = homeDirectory(env);
  return home && `${home}/known-servers.json`;
}

/** Policy files for trust in TypeScript runbooks: the machine's and the user's. */
export function locateRunbookPolicies(env: Env): readonly string[] {
  const home = homeDirectory(env);
  const own = home === undefined ? [] : [`${home}/runbook-policy.yaml`];
  return ["/etc/osctl/runbook-policy.yaml", ...own];
}

/**
 * Data directory of osctl: `$OS_HOME` if it is an absolute path, else `.os` in the user's
 * home directory. Returns a path without a trailing slash; `undefined` without a home.
 */
export function homeDirectory(env: Env): string | undefined {
  const own = variable("OS_HOME", env);
  if (own !== undefined && isAbsolute(own)) return withoutSlash(own);
  const user = userHome(env);
  return user && `${user}/.os`;
}

function userHome(env: Env): string | undefined {
  const user = env("HOME") || env("USERPROFILE");
  return user ? withoutSlash(user) : undefined;
}

/** Throws `ConfigError` without a home directory. */
function inHome(name: string, env: Env): string {
  return `${homeDirectory(env) ?? missingHome(name)}/${name}`;
}

function variable(
  name: keyof typeof legacyEnvironment,
  env: Env,
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
  throw new ConfigError(
    `Cannot determine the path of "${what}": HOME is not set`,
    {
      hint: "Set HOME or OS_HOME, or give the path",
    },
  );
}
