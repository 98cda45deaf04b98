/** Clusters of simulated nodes in a background process of this machine. */

import { writeFileAtomic } from "../config/atomic_file.ts";
import { ConfigError, OsctlError, TimeoutError } from "../errors.ts";
import { startCluster } from "../simulator/cluster.ts";
import { claim, processOf, startDetached, stopProcess } from "./background.ts";
import { faultFollower } from "./faults.ts";
import { readJson } from "./json_file.ts";
import { apiPort, claimSubnet, placeIn } from "./loopback.ts";
import {
  type ClusterPlace,
  folderOf,
  type LocalCluster,
  readState,
  writeState,
} from "./state.ts";

/** What a simulated cluster is made of. */
export interface EmbeddedSpec {
  /** Number of control planes, at least 1. */
  readonly controlplanes: number;
  /** Number of workers. */
  readonly workers: number;
  /** Version of the operating system with leading `v`; left out, the default. */
  readonly osVersion?: string | undefined;
  /** Version of Kubernetes without `v`. */
  readonly kubernetesVersion: string;
}

/** What a client needs to reach a cluster. */
export interface EmbeddedAccess {
  /** `host:port` of every control plane. */
  readonly endpoints: readonly string[];
  /** Address of every node, control planes first. */
  readonly nodes: readonly string[];
  /** Certificate of the authority, PEM. */
  readonly ca: string;
  /** Client certificate with all rights, PEM. */
  readonly crt: string;
  /** Its key, PEM. */
  readonly key: string;
}

/** How long to wait for the nodes. */
export interface StartOptions {
  /** Longest wait until every node is ready, in milliseconds. */
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/**
 * Creates a cluster and waits until every node is ready.
 *
 * @param place State folder and name.
 * @param spec What it is made of.
 * @param options How long to wait.
 * @throws {ConfigError} If there is a cluster of this name.
 * @throws {TimeoutError} If the nodes are not ready in time; the cluster is then gone again.
 */
export async function createEmbedded(
  place: ClusterPlace,
  spec: EmbeddedSpec,
  options: StartOptions,
): Promise<EmbeddedAccess> {
  const folder = folderOf(place);
  await makeFolder(place, folder);
  try {
    await writeState(place, stateOf(place.name, spec));
    await writeFileAtomic(`${folder}/embedded.json`, JSON.stringify(spec));
    return await startEmbedded(place, options);
  } catch (error) {
    await removeEmbedded(place);
    throw error;
  }
}

/**
 * Starts the process of a cluster that was created before, unless it runs.
 *
 * @param place State folder and name.
 * @param options How long to wait.
 * @throws {TimeoutError} If the nodes are not ready in time.
 */
export async function startEmbedded(
  place: ClusterPlace,
  { waitMs, signal }: StartOptions,
): Promise<EmbeddedAccess> {
  const folder = folderOf(place);
  if (await processOf(folder) === undefined) {
    await removeFile(`${folder}/access.json`);
    startDetached([
      "cluster",
      "serve",
      "--state",
      place.state,
      "--name",
      place.name,
    ]);
  }
  const deadline = performance.now() + waitMs;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const access = await readJson<EmbeddedAccess | Failure>(
      `${folder}/access.json`,
    );
    if (access !== undefined && "error" in access) {
      throw new OsctlError(
        `Cannot start cluster "${place.name}": ${access.error}`,
      );
    }
    if (access !== undefined) return access;
    // A file is the one signal that outlives either process.
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  throw new TimeoutError(
    `Nodes of cluster "${place.name}" were not ready after ${waitMs / 1000} s`,
    { hint: `See "${folder}/log"` },
  );
}

/**
 * Runs the nodes of a cluster in this process until it is told to stop or its folder is removed.
 *
 * @param place State folder and name.
 * @param signal Ends it.
 * @throws {ConfigError} If there is no such cluster, or it runs already.
 */
export async function serveEmbedded(
  place: ClusterPlace,
  signal: AbortSignal,
): Promise<void> {
  const folder = folderOf(place);
  const spec = await readJson<SavedSpec>(`${folder}/embedded.json`);
  if (spec === undefined) throw noCluster(place.name);
  using lock = await claim(folder);
  if (lock === undefined) {
    throw new ConfigError(`Cluster "${place.name}" runs already`);
  }
  try {
    using subnet = claimSubnet(Deno.build.os, spec.cidr);
    await remember(place, { ...spec, cidr: subnet.cidr });
    const cluster = await startCluster({
      name: place.name,
      controlplanes: spec.controlplanes,
      workers: spec.workers,
      kubernetes: spec.kubernetesVersion,
      ...(spec.osVersion ? { release: { tag: spec.osVersion } } : {}),
      places: (index) => placeIn(subnet.cidr, index),
    });
    const access: EmbeddedAccess = {
      endpoints: cluster.endpoints.map((endpoint) =>
        endpoint.replace(`:${apiPort}`, "")
      ),
      nodes: cluster.nodes.map(({ identity }) => identity.address),
      ...cluster.adminIdentity,
    };
    await writeFileAtomic(`${folder}/access.json`, JSON.stringify(access));
    await untilStopped(folder, faultFollower(folder, cluster.nodes), signal);
    await cluster.stop();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await writeFileAtomic(
      `${folder}/access.json`,
      JSON.stringify({ error: message }),
    );
    throw error;
  }
}

/**
 * Stops the process of a cluster, if it runs, and removes its folder.
 *
 * @param place State folder and name.
 */
export async function removeEmbedded(place: ClusterPlace): Promise<void> {
  const folder = folderOf(place);
  // Without this file a process that is only about to start ends by itself.
  await removeFile(`${folder}/embedded.json`);
  await stopProcess(folder);
  await Deno.remove(folder, { recursive: true });
}

/** The specification as it is kept, with the subnet the cluster got. */
interface SavedSpec extends EmbeddedSpec {
  readonly cidr?: string;
}

interface Failure {
  readonly error: string;
}

async function makeFolder(
  { state, name }: ClusterPlace,
  folder: string,
): Promise<void> {
  await Deno.mkdir(state, { recursive: true, mode: 0o700 });
  try {
    await Deno.mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    throw new ConfigError(
      `Cannot create cluster "${name}": "${folder}" exists`,
      {
        hint: `Remove it with: osctl cluster destroy --name ${name}`,
      },
    );
  }
}

/** Notes which addresses the nodes have, for the next start and for `cluster show`. */
async function remember(place: ClusterPlace, spec: SavedSpec): Promise<void> {
  await writeFileAtomic(
    `${folderOf(place)}/embedded.json`,
    JSON.stringify(spec),
  );
  const before = await readState(place);
  await writeState(place, { ...before, ...stateOf(place.name, spec) });
}

function stateOf(
  name: string,
  { controlplanes, workers, cidr }: SavedSpec,
): LocalCluster {
  const count = cidr === undefined ? 0 : controlplanes + workers;
  const nodes = Array.from({ length: count }, (_, index) => {
    const { address, port } = placeIn(cidr ?? "", index);
    const type = index < controlplanes ? "controlplane" : "worker";
    const number = index < controlplanes
      ? index + 1
      : index - controlplanes + 1;
    return {
      id: address,
      uuid: "",
      name: `${name}-${type}-${number}`,
      type,
      nanocpus: 0,
      memory: 0,
      disksize: 0,
      ips: [address],
      apiport: port,
    };
  });
  return {
    provisionername: "embedded",
    clusterinfo: {
      clustername: name,
      network: {
        name,
        cidrs: cidr === undefined ? [] : [cidr],
        gatewayaddrs: [],
        mtu: 65_536,
      },
      nodes,
      kubernetesendpoint: nodes.length === 0
        ? ""
        : `https://${nodes[0]?.ips[0]}:6443`,
    },
  };
}

/** Follows the files in the folder, which work also when the process that changes them is killed. */
async function untilStopped(
  folder: string,
  follow: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (await exists(`${folder}/embedded.json`)) {
    await follow();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 50);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      }, { once: true });
    });
    if (signal.aborted) return;
  }
}

async function exists(path: string): Promise<boolean> {
  return await readJson(path) !== undefined;
}

async function removeFile(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function noCluster(name: string): ConfigError {
  return new ConfigError(`Cannot find cluster "${name}"`, {
    hint: "Create it with: osctl cluster create embedded",
  });
}
