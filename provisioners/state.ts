/** The state directory of local clusters: one folder per cluster, `state.yaml` in it. */

import { parse, stringify } from "yaml";
import { unwritable, writeFileAtomic } from "../lib/files/atomic_file.ts";
import { exists } from "../lib/files/exists.ts";
import { ConfigError } from "../errors.ts";

/** One machine of a local cluster. */
export interface LocalNode {
  readonly id: string;
  readonly uuid: string;
  readonly name: string;
  /** `controlplane`, `worker` or `init`. */
  readonly type: string;
  /** CPU limit in billionths of a CPU; 0 if unlimited. */
  readonly nanocpus: number;
  /** Memory in bytes; 0 if unlimited. */
  readonly memory: number;
  /** Disk size in bytes; 0 for none. */
  readonly disksize: number;
  readonly ips: readonly string[];
  /** Published port of the node API; 0 if it is reached by the node's address. */
  readonly apiport: number;
}

/** State of a local cluster. Source: `state.yaml` of talosctl. */
export interface LocalCluster {
  readonly provisionername: string;
  readonly clusterinfo: {
    readonly clustername: string;
    readonly network: {
      readonly name: string;
      readonly cidrs: readonly string[];
      readonly gatewayaddrs: readonly string[];
      /** MTU in bytes. */
      readonly mtu: number;
    };
    /** Machines, control planes first. */
    readonly nodes: readonly LocalNode[];
    readonly kubernetesendpoint: string;
  };
  /** Path of the client configuration with the cluster's context. */
  readonly osconfig?: string;
  /** Bridge; only for virtual machines. */
  readonly bridgename?: string;
  /** CA certificate, PEM, which identifies contexts. */
  readonly ca?: string;
  /** Last phase of the creation; absent once finished. */
  readonly phase?: string;
}

/** Location of a cluster's folder. */
export interface ClusterLocation {
  readonly state: string;
  readonly name: string;
}

/** Returns the folder of a cluster. Throws ConfigError if the name is not a valid folder name. */
export function joinFolder({ state, name }: ClusterLocation): string {
  if (isName(name)) return `${state}/${name}`;
  throw new ConfigError(`Cannot use cluster name "${name}"`, {
    hint:
      "Use up to 63 letters, digits, dots and dashes, starting with a letter or digit",
  });
}

/**
 * Reads the state of a cluster. Returns `undefined` if it does not exist. Throws `ConfigError` if the file is invalid.
 */
export async function readState(
  place: ClusterLocation,
): Promise<LocalCluster | undefined> {
  const path = `${joinFolder(place)}/state.yaml`;
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  try {
    const state = parse(text, { maxAliasCount: 0 });
    if (
      typeof state?.provisionername === "string" && state.clusterinfo?.nodes
    ) {
      return state;
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  throw unreadable(path);
}

/** Writes the state of a cluster, atomically. */
export async function writeState(
  place: ClusterLocation,
  cluster: LocalCluster,
): Promise<void> {
  const text = stringify(cluster, { indent: 4, lineWidth: 0 });
  await writeFileAtomic(`${joinFolder(place)}/state.yaml`, text);
}

/** Writes the phase of the creation to the state; without a phase the cluster is finished. */
export async function writePhase(
  place: ClusterLocation,
  phase: string | undefined,
): Promise<void> {
  const state = await readState(place);
  if (state === undefined) return;
  const { phase: _, ...rest } = state;
  await writeState(place, phase === undefined ? rest : { ...rest, phase });
}

/** Lists the names of clusters that have a folder, sorted. */
export async function clusterNames(state: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const item of Deno.readDir(state)) {
      if (item.isDirectory && isName(item.name)) names.push(item.name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.sort();
}

/** Error for a missing cluster. `names`: those that exist, if known. */
export function clusterNotFound(
  { state, name }: ClusterLocation,
  names: readonly string[] = [],
): ConfigError {
  return new ConfigError(`Cannot find cluster "${name}" in "${state}"`, {
    hint: names.length === 0
      ? "List the clusters with: osctl cluster show --all"
      : `Choose a cluster with --name: ${names.join(", ")}`,
  });
}

/** Creates the folder of a new cluster. Throws ConfigError if it exists, or cannot be created. */
export async function makeFolder(place: ClusterLocation): Promise<void> {
  const { state } = place;
  const folder = joinFolder(place);
  try {
    await Deno.mkdir(state, { recursive: true, mode: 0o700 });
    await Deno.mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!await exists(folder)) throw unwritable(state, error);
    throw await clusterExists(place);
  }
}

/** Error for a new cluster that already exists, or whose folder does. */
export async function clusterExists(
  place: ClusterLocation,
): Promise<ConfigError> {
  const { name } = place;
  const remove = `osctl cluster destroy --name ${name}`;
  const found = await readState(place).catch(() => undefined);
  return found === undefined
    ? new ConfigError(
      `Cannot create cluster "${name}": "${joinFolder(place)}" exists`,
      { hint: `Remove it with: ${remove}` },
    )
    : new ConfigError(
      `Cannot create cluster "${name}": it already exists, created with ${found.provisionername}`,
      {
        hint:
          `Choose another --name, show it with: osctl cluster show --name ${name}, or remove it with: ${remove}`,
      },
    );
}

/** Removes the folder of a cluster, if it exists. */
export async function removeFolder(place: ClusterLocation): Promise<void> {
  try {
    await Deno.remove(joinFolder(place), { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function isName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name);
}

/** Suggests to remove the cluster of a file, which is in its folder. */
function removeHint(path: string): string {
  const name = path.split("/").at(-2);
  return `Remove the cluster with: osctl cluster destroy --force --name ${name}`;
}

function unreadable(path: string, cause?: unknown): ConfigError {
  return new ConfigError(
    `Cannot read "${path}": it is not a cluster state file`,
    {
      hint: removeHint(path),
      cause,
    },
  );
}

/**
 * Reads a JSON file written by osctl. Returns its content, not validated; `undefined` if it does not exist.
 * Throws `ConfigError` if it is not valid JSON.
 */
export async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    // Written by osctl, atomically.
    return JSON.parse(await Deno.readTextFile(path)) as T;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    throw new ConfigError(`Cannot read "${path}": it is not valid JSON`, {
      cause: error,
      hint: removeHint(path),
    });
  }
}

/** Reads the ids of nodes that are powered off. `folder`: folder of the cluster. */
export async function readOff(folder: string): Promise<readonly string[]> {
  return await readJson<readonly string[]>(`${folder}/off.json`) ?? [];
}

/** Writes the ids of nodes that are powered off, for {@linkcode readOff}. */
export async function writeOff(
  folder: string,
  nodes: readonly string[],
): Promise<void> {
  await writeFileAtomic(`${folder}/off.json`, JSON.stringify(nodes));
}
