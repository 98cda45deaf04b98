/** The client configuration, as read and changed by commands. */

import {
  locateOsconfig,
  type OsconfigLocation,
  osconfigPlaces,
} from "../../config/osconfig/location.ts";
import {
  type ClientContext,
  emptyOsconfig,
  type Osconfig,
} from "../../config/osconfig/osconfig.ts";
import { readOsconfig } from "../../config/osconfig/osconfig_file.ts";
import {
  type NamedContext,
  selectContext,
  startHint,
} from "../../config/osconfig/select_context.ts";
import {
  type OsconfigUpdate,
  updateOsconfig,
} from "../../config/osconfig/update_osconfig.ts";
import { ConfigError, UsageError } from "../../errors.ts";
import { exists } from "../../lib/files/exists.ts";
import type { Environment, Globals } from "../_kit/mod.ts";
import { nearest } from "../../lib/text/nearest.ts";

/** Inputs that select the file and the context. */
export interface ConfigRequest {
  readonly globals: Pick<Globals, "osconfig" | "context">;
  readonly environment: Pick<Environment, "env">;
}

interface ConfigChange extends ConfigRequest {
  /** Aborts waiting for other processes. */
  readonly signal: AbortSignal;
  /**
   * True (default) to keep the previous content in `<path>.bak`. Changes that
   * are easy to undo make no backup, so that the existing one stays useful.
   */
  readonly backup?: boolean;
}

/** A client configuration and its location. */
export interface FoundOsconfig {
  /** Path, and whether it is read-only. */
  readonly location: OsconfigLocation;
  /** Its content; empty if there is no such file. */
  readonly config: Osconfig;
}

/** Finds the client configuration; creates nothing. Throws `ConfigError` without a home directory. */
export function findOsconfig(
  { globals, environment }: ConfigRequest,
): Promise<OsconfigLocation> {
  return locateOsconfig(globals.osconfig, { env: environment.env, exists });
}

/**
 * Finds and reads the client configuration; a missing file counts as empty.
 * Throws `ConfigError` if the file is invalid.
 */
export async function currentOsconfig(
  request: ConfigRequest,
): Promise<FoundOsconfig> {
  const location = await findOsconfig(request);
  return {
    location,
    config: await readOsconfig(location.path) ?? emptyOsconfig,
  };
}

/** Name of the context of a command; empty if the client configuration cannot be read. */
export async function contextName(request: ConfigRequest): Promise<string> {
  if (request.globals.context) return request.globals.context;
  try {
    return (await currentOsconfig(request)).config.current;
  } catch (error) {
    if (error instanceof ConfigError) return "";
    throw error;
  }
}

/**
 * Reads the client configuration and selects the context. Throws `ConfigError` if there is no file, or no such context.
 */
export async function chosenContext(
  request: ConfigRequest,
): Promise<NamedContext> {
  const { path } = await findOsconfig(request);
  const config = await readOsconfig(path);
  if (config === undefined) {
    const { globals, environment } = request;
    const places = osconfigPlaces(globals.osconfig, environment.env);
    throw new ConfigError(
      places.length === 0
        ? `Cannot read client configuration "${path}": no such file`
        : `Cannot find a client configuration: searched ${places.join(", ")}`,
      { hint: startHint },
    );
  }
  return pick(config, path, request);
}

/**
 * Changes the client configuration; creates a missing file.
 *
 * @param change Returns the new configuration; `undefined` for no change.
 * @throws {ConfigError} If the file is read-only or invalid.
 */
export async function changeOsconfig(
  request: ConfigChange,
  change: (
    config: Osconfig,
  ) => Osconfig | undefined | Promise<Osconfig | undefined>,
): Promise<OsconfigUpdate> {
  const { signal, backup } = request;
  const location = await findOsconfig(request);
  return await updateOsconfig(location, change, { signal, backup });
}

/**
 * Changes the context of `--context`, or the current one.
 *
 * @param change Returns the new context.
 * @throws {ConfigError} If there is no such context, or the file is read-only or invalid.
 */
export async function changeContext(
  request: ConfigChange,
  change: (context: ClientContext) => ClientContext,
): Promise<void> {
  const { path } = await findOsconfig(request);
  await changeOsconfig(request, (config) => {
    const { name, ...context } = pick(config, path, request);
    return withContext(config, name, change(context));
  });
}

/** Adds a context to a configuration, or replaces the one of the same name. */
export function withContext(
  config: Osconfig,
  name: string,
  context: ClientContext,
): Osconfig {
  return {
    ...config,
    contexts: new Map([...config.contexts, [name, context]]),
  };
}

/**
 * Validates a context argument; `--context` must not name another one.
 *
 * @param argument Name, or pattern of names.
 * @throws {UsageError} If it is empty, or `--context` differs.
 */
export function checkContextArgument(
  argument: string,
  command: string,
  { context }: Pick<Globals, "context">,
): void {
  if (argument === "") throw new UsageError("Argument <context> is empty");
  if (context === undefined || context === argument) return;
  throw new UsageError(
    `Flag --context and the argument of "${command}" name different contexts: "${context}" and "${argument}"`,
    { hint: "Omit --context" },
  );
}

function pick(
  config: Osconfig,
  file: string,
  { globals }: ConfigRequest,
): NamedContext {
  return selectContext(config, { context: globals.context, file, nearest });
}

/**
 * Finds the proxy for nodes without a configuration, for which no context is required.
 *
 * @returns `proxy-url` of the context; `undefined` if it has none, or there is no context and none was requested.
 * @throws {ConfigError} If the requested context does not exist.
 */
export async function contextProxy(
  request: ConfigRequest,
): Promise<string | undefined> {
  try {
    return (await chosenContext(request)).proxyUrl;
  } catch (error) {
    if (error instanceof ConfigError && !request.globals.context) {
      return undefined;
    }
    throw error;
  }
}
