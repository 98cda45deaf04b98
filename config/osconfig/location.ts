/** Where the client configuration and what belongs to it are found. */

import {
  legacyEnvironment,
  legacyHome,
  serviceAccountConfigPath,
} from "../../talos.ts";
import { ConfigError } from "../../errors.ts";

type Env = (name: string) => string | undefined;

interface LocationSources {
  readonly env: Env;
  /** Reports whether something is at a path; also true when it may not be read. */
  readonly exists: (path: string) => Promise<boolean>;
}

/** A client configuration that may or may not exist yet. */
export interface OsconfigLocation {
  readonly path: string;
  /** False for the file that a pod is given, which no command may change. */
  readonly writable: boolean;
}

/**
 * Finds the client configuration: the path given, else `$OSCONFIG` if it is
 * set, else the first that exists of `<home>/config`, talosctl's file in the
 * user's home directory and the file of a pod's service account, else
 * `<home>/config`. Nothing is created.
 *
 * Source: specification 4.1. Names talosctl gives to the variables count after ours.
 *
 * @throws {ConfigError} If there is no file and no home directory to put one in.
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
 * Names the places where {@linkcode locateOsconfig} looks, in order, for a message that none has a file.
 *
 * @returns Empty when the path or the variable decides.
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

/** Files in home directories; a home of osctl's own keeps that of talosctl out. */
function inHomes(env: Env): readonly string[] {
  const home = homeDirectory(env);
  if (home === undefined) return [];
  const user = userHome(env);
  return user === undefined || home !== `${user}/.os`
    ? [`${home}/config`]
    : [`${home}/config`, `${user}/${legacyHome}/config`];
}

/** Directory of PGP keys for proxies: the one given, else `$OSV1_KEYS_DIR`, else `<home>/keys`. */
export function locateKeys(explicit: string | undefined, env: Env): string {
  return explicit || variable("OSV1_KEYS_DIR", env) || inHome("keys", env);
}

/** Directory of the journals of operations, `<home>/operations`. */
export function locateOperations(env: Env): string {
  return inHome("operations", env);
}

/** Directory of the runs of runbooks, `<home>/runs`. */
export function locateRuns(env: Env): string {
  return inHome("runs", env);
}

/** Directory of the locks that runs on this machine hold on clusters, `<home>/locks`. */
export function locateRunLocks(env: Env): string {
  return inHome("locks", env);
}

/** File that says which runbooks in TypeScript the user trusts, `<home>/trusted-runbooks.json`. */
export function locateTrust(env: Env): string {
  return inHome("trusted-runbooks.json", env);
}

/**
 * File with the fingerprints of servers that were given secrets without a CA to vouch for them,
 * `<home>/known-servers.json`. Returns `undefined` without a home directory: nothing is remembered.
 */
export function locateServers(env: Env): string | undefined {
  const home = homeDirectory(env);
  return home && `${home}/known-servers.json`;
}

/** Files that say which runbooks in TypeScript may be trusted at all: the machine's and the user's. */
export function locateRunbookPolicies(env: Env): readonly string[] {
  const home = homeDirectory(env);
  const own = home === undefined ? [] : [`${home}/runbook-policy.yaml`];
  return ["/etc/osctl/runbook-policy.yaml", ...own];
}

/**
 * Directory that holds what osctl keeps: `$OS_HOME` if it is an absolute path, else `.os` in the
 * user's home directory. Returns a path without a slash at its end; `undefined` without a home.
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
