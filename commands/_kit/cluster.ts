/** What commands about local clusters share: flags, the state folder, the client configuration. */

import { homeDirectory, locateOsconfig } from "../../config/location.ts";
import { mergeOsconfig } from "../../config/merge.ts";
import type { ClientContext, Osconfig } from "../../config/osconfig.ts";
import { updateOsconfig } from "../../config/store.ts";
import { ConfigError } from "../../errors.ts";
import type { ClusterPlace, EmbeddedAccess } from "../../provisioners/mod.ts";
import type { Globals } from "./globals.ts";
import { type Flag, text } from "./inputs.ts";
import type { World } from "./world.ts";
import { exists } from "./exists.ts";

/** Values of the flags all cluster commands take. */
export interface ClusterInputs {
  /** `--name`. */
  readonly name: string;
  /** `--state`. */
  readonly state: string | undefined;
}

/** Flags all cluster commands take. */
export const clusterInputs: {
  /** `--name`. */
  readonly name: Flag<string>;
  /** `--state`. */
  readonly state: Flag<string | undefined>;
} = {
  name: text("name of the cluster", { initial: "os-default" }),
  state: text("folder of all clusters' state", {
    shown: "$HOME/.os/clusters",
    complete: "directories",
  }),
};

/**
 * Finds a cluster's place.
 *
 * @param input Name and state folder as given.
 * @param world Environment.
 * @throws {ConfigError} If no state folder is given and there is no home.
 */
export function placeOf(
  { name, state }: ClusterInputs,
  world: World,
): ClusterPlace {
  if (state !== undefined) return { name, state };
  const home = homeDirectory(world.env);
  if (home === undefined) {
    throw new ConfigError(
      "Cannot find the state folder: there is no home directory",
      {
        hint: "Name one with --state",
      },
    );
  }
  return { name, state: `${home}/clusters` };
}

/**
 * Puts a cluster's context into the client configuration and makes it current.
 *
 * @param access What a client needs.
 * @param options Name of the context, and where the file is.
 * @returns Path of the file and name the context got.
 */
export async function addContext(
  access: EmbeddedAccess,
  { name, path, world }: {
    /** Name of the context. */
    readonly name: string;
    /** Path as given; left out, the usual one. */
    readonly path: string | undefined;
    /** Environment. */
    readonly world: World;
  },
): Promise<{
  /** Path of the file. */
  readonly path: string;
  /** Name the context got. */
  readonly context: string;
}> {
  const location = await locateOsconfig(path, { env: world.env, exists });
  const incoming: Osconfig = {
    current: name,
    contexts: new Map([[name, contextOf(access)]]),
  };
  let context = name;
  await updateOsconfig(location, async (config) => {
    const merged = await mergeOsconfig(config, incoming, { setCurrent: true });
    context = merged.config.current;
    return merged.config;
  }, { backup: false });
  return { path: location.path, context };
}

/**
 * Takes a context out of a client configuration, if it is there.
 *
 * @param path Path of the file.
 * @param name Name of the context.
 */
export async function dropContext(path: string, name: string): Promise<void> {
  if (!await exists(path)) return;
  await updateOsconfig({ path, writable: true }, (config) => {
    if (!config.contexts.has(name)) return undefined;
    const contexts = new Map(config.contexts);
    contexts.delete(name);
    const current = config.current === name ? "" : config.current;
    return { ...config, current, contexts };
  }, { backup: false });
}

/**
 * Path of the client configuration that a new context goes to.
 *
 * @param destination `--osconfig-destination`.
 * @param globals `--osconfig`.
 */
export function destinationOf(
  destination: string | undefined,
  globals: Globals,
): string | undefined {
  return destination ?? globals.osconfig;
}

function contextOf(access: EmbeddedAccess): ClientContext {
  const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
  return {
    endpoints: access.endpoints,
    nodes: access.nodes,
    ca: base64(access.ca),
    crt: base64(access.crt),
    key: base64(access.key),
  };
}
