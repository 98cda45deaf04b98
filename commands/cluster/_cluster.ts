/** Shared by the commands for local clusters: flags, state directory, client configuration. */

import { resolve } from "node:path";
import { takenAmong } from "../../lib/files/file_set.ts";
import { isNumbered } from "../../config/kubeconfig/drop.ts";
import { processMasker } from "../../lib/masker.ts";
import {
  homeDirectory,
  locateOsconfig,
  type OsconfigLocation,
} from "../../config/osconfig/location.ts";
import { mergeOsconfig } from "../../config/osconfig/merge.ts";
import type {
  ClientContext,
  Osconfig,
} from "../../config/osconfig/osconfig.ts";
import { sameCluster } from "../../config/osconfig/same_context.ts";
import { updateOsconfig } from "../../config/osconfig/update_osconfig.ts";
import { ConfigError } from "../../errors.ts";
import {
  type ClusterAccess,
  type ClusterLocation,
  clusterNames,
  clusterNotFound,
  provisionerNames,
} from "../../provisioners/mod.ts";
import { exists } from "../../lib/files/exists.ts";
import { type ConfigRequest, contextName } from "../_session/osconfig.ts";
import { choice, type Environment, text, type Values } from "../_kit/mod.ts";

const stateInput = {
  state: text("directory with the state of all clusters", {
    shown: "$HOME/.os/clusters",
    complete: "directories",
  }),
};

/** Flags of commands that create or destroy a cluster. */
export const clusterInputs = {
  name: text("name of the cluster", { initial: "os-default" }),
  ...stateInput,
};

/** Flags of commands for a cluster that exists. */
export const existingInputs = {
  name: text("name of the cluster", {
    shown: "that of the current context, or the only one",
  }),
  ...stateInput,
};

/** The flag of commands that work without a state file. */
export const provisionerInput = {
  provisioner: choice(
    "provisioner of the cluster; auto for the one that created it",
    ["auto", ...provisionerNames],
    { initial: "auto" },
  ),
};

export type ClusterInputs = Values<typeof clusterInputs>;

export type ExistingInputs = Values<typeof existingInputs>;

/** Locates a cluster. Throws `ConfigError` if no state directory is given and there is no home. */
export function locateCluster(
  { name, state }: ClusterInputs,
  { env }: Pick<Environment, "env">,
): ClusterLocation {
  if (state !== undefined) return { name, state: resolve(state) };
  const home = homeDirectory(env);
  if (home === undefined) {
    throw new ConfigError(
      "Cannot find the state directory: HOME is not set",
      { hint: "Choose one with --state" },
    );
  }
  return { name, state: `${home}/clusters` };
}

/**
 * Finds the cluster of a command: the named one, that of the current context, or the only one. If there is none at all,
 * that of the default name.
 *
 * @throws {ConfigError} Naming the clusters, if there are several, or no such one.
 */
export async function findCluster(
  { input, ...request }: ConfigRequest & {
    readonly input: ExistingInputs & { readonly provisioner?: string };
  },
): Promise<ClusterLocation> {
  const { name, state } = locateCluster({
    name: input.name ?? clusterInputs.name.initial,
    state: input.state,
  }, request.environment);
  const names = await clusterNames(state);
  if (names.length === 0) return { name, state };
  if (input.name !== undefined) {
    // Containers are found by label, even without the state.
    const isKnown = names.includes(name) || input.provisioner === "docker";
    if (isKnown) return { name, state };
    throw clusterNotFound({ name, state }, names);
  }
  const current = await contextName(request);
  const own = names.find((one) => one === current) ??
    names.find((one) => isNumbered(current, one)) ??
    (names.length === 1 ? names[0] : undefined);
  if (own !== undefined) return { name: own, state };
  throw new ConfigError(
    `There are ${names.length} clusters in "${state}", and none of context "${current}"`,
    { hint: `Choose a cluster with --name: ${names.join(", ")}` },
  );
}

/**
 * Finds the client configuration of a cluster.
 *
 * @param path Path as given; omitted for the default.
 * @returns Its location, with an absolute path.
 */
export async function findOsconfigPath(
  path: string | undefined,
  { env }: Pick<Environment, "env">,
): Promise<OsconfigLocation> {
  const location = await locateOsconfig(path, { env, exists });
  return { ...location, path: resolve(location.path) };
}

/**
 * Adds a cluster's context to a client configuration and makes it current.
 *
 * @param name Name of the context; if another cluster has it, a similar one is used.
 * @returns Name of the context.
 * @throws {ConfigError} If the file is read-only, invalid, or cannot be written.
 */
export async function addContext(
  location: OsconfigLocation,
  name: string,
  access: ClusterAccess,
): Promise<string> {
  processMasker.add(access.key);
  const incoming: Osconfig = {
    current: name,
    contexts: new Map([[name, toContext(access)]]),
  };
  const { config } = await updateOsconfig(location, async (config) => {
    const merged = await mergeOsconfig(config, incoming, { setCurrent: true });
    return merged.config;
  }, { backup: false });
  return config.current;
}

/** What identifies the contexts of a cluster. */
export interface KnownCluster {
  readonly name: string;
  /** Certificate of its CA, PEM; omitted if unknown. */
  readonly ca: string | undefined;
  /** Endpoints and node addresses that its contexts may have. */
  readonly endpoints: readonly string[];
}

/**
 * Removes the contexts of a cluster from a client configuration: those with its CA, under any name, and those with its
 * name and its nodes as endpoints, since its CA may have been rotated. If that removes the current context, the first
 * remaining one becomes current.
 *
 * @param location The client configuration; it need not exist.
 * @returns New current context, empty if none is left; `undefined` if it did not change.
 * @throws {ConfigError} If the file is invalid, or cannot be written.
 */
export async function dropContexts(
  location: OsconfigLocation,
  { name, ca, endpoints }: KnownCluster,
): Promise<string | undefined> {
  if (!await exists(location.path)) return undefined;
  const known: ClientContext | undefined = ca === undefined
    ? undefined
    : { endpoints: [], nodes: [], ca: base64(ca) };
  const isOwn = (called: string, context: ClientContext) =>
    known !== undefined && sameCluster(context, known) ||
    isNumbered(called, name) && context.endpoints.length > 0 &&
      context.endpoints.every((one) => endpoints.includes(one));
  let became: string | undefined;
  await updateOsconfig(location, (config) => {
    const kept = [...config.contexts].filter(([called, context]) =>
      !isOwn(called, context)
    );
    if (kept.length === config.contexts.size) return undefined;
    const contexts = new Map(kept);
    if (contexts.has(config.current)) return { ...config, contexts };
    became = kept[0]?.[0] ?? "";
    return { ...config, current: became, contexts };
  }, { backup: false });
  return became;
}

/** Paths for configurations of nodes that are configured later. */
export const configurationFiles = {
  controlplane: "controlplane.yaml",
  worker: "worker.yaml",
} as const;

/** Throws ConfigError if one of {@linkcode configurationFiles} exists. */
export async function refuseConfigurationFiles(): Promise<void> {
  const there = await takenAmong(Object.values(configurationFiles));
  if (there.length === 0) return;
  throw new ConfigError(
    `Cannot write ${
      there.map((path) => `"${path}"`).join(", ")
    }: it already exists`,
    { hint: "Move it away, or run this in another directory" },
  );
}

function toContext(access: ClusterAccess): ClientContext {
  return {
    endpoints: access.endpoints,
    nodes: access.nodes,
    ca: base64(access.ca),
    crt: base64(access.crt),
    key: base64(access.key),
  };
}

function base64(pem: string): string {
  return new TextEncoder().encode(pem).toBase64();
}
