/** The background process of a simulated cluster. */

import { ConfigError, OsctlError } from "../errors.ts";
import { systemClock } from "../simulator/clock/clock.ts";
import {
  type RunningCluster,
  startCluster,
} from "../simulator/cluster/cluster.ts";
import type { RealEtcdOptions } from "../simulator/etcd/real/real_backend.ts";
import type { Pace } from "../simulator/node/node.ts";
import { lockFolder } from "./background.ts";
import {
  clusterNotFound,
  type EmbeddedAccess,
  embeddedState,
  etcdFolder,
  readSpec,
  type SavedSpec,
  storeOf,
  writeOutcome,
  writeSpec,
} from "./embedded_folder.ts";
import { faultFollower } from "./faults.ts";
import { apiPort, claimSubnet, placeIn } from "./loopback.ts";
import { powerFollower } from "./power.ts";
import {
  type ClusterLocation,
  folderOf,
  readState,
  writeState,
} from "./state.ts";

/** How the nodes run. */
export interface ServeOptions {
  /** Ends them. */
  readonly signal: AbortSignal;
  /** Operating system, which decides what loopback has; default this machine's. */
  readonly os?: string;
}

/**
 * Runs the nodes of a cluster in this process until it is stopped or its folder is removed. Returns
 * how clients reach them, once, when all nodes are ready; it continues after that. Throws `ConfigError`
 * if there is no such cluster, or it runs already.
 */
export async function* serveEmbedded(
  place: ClusterLocation,
  options: ServeOptions,
): AsyncGenerator<EmbeddedAccess> {
  using lock = await claimOf(place);
  if (lock === undefined) {
    throw new ConfigError(`Cluster "${place.name}" is already running`);
  }
  // Read under the lock, which a removal of the cluster holds as well.
  const spec = await readSpec(place);
  if (spec === undefined) throw clusterNotFound(place);
  await writeOutcome(place);
  try {
    yield* serve(place, spec, options);
  } catch (error) {
    // A folder that was removed meanwhile must not come back.
    if (await readSpec(place) !== undefined) {
      await writeOutcome(place, { pid: Deno.pid, ...reasonOf(error) });
    }
    throw error;
  }
}

/** Whoever looks once a second sees every part of a reboot. */
export const machine: Pace = {
  bootMs: 4_000,
  stopMs: 500,
  downMs: 2_000,
  installMs: 1_000,
  panicMs: 1_000,
};

async function* serve(
  place: ClusterLocation,
  spec: SavedSpec,
  { signal, os = Deno.build.os }: ServeOptions,
): AsyncGenerator<EmbeddedAccess> {
  using subnet = claimSubnet(os, {
    wanted: spec.cidr,
    nodes: spec.controlplanes + spec.workers,
    seed: folderOf(place),
  });
  const { cidr } = subnet;
  const cluster = await startCluster({
    name: place.name,
    controlplanes: spec.controlplanes,
    workers: spec.workers,
    kubernetes: spec.kubernetesVersion,
    ...(spec.osVersion ? { release: { tag: spec.osVersion } } : {}),
    addresses(index) {
      const free = placeIn(cidr, index);
      return { ...free, port: spec.ports?.[index] ?? free.port };
    },
    store: storeOf(place),
    unconfigured: () => spec.unconfigured ?? false,
    etcd: etcdOf(place, spec),
  });
  try {
    const { nodes } = cluster;
    // Starting a cluster does not wait for the boots of its machines.
    if (spec.pace === "machine") {
      for (const node of nodes) node.pace = machine;
    }
    const ports = nodes.map(({ identity }) => portOf(cluster, identity));
    await writeSpec(place, { ...spec, cidr, ports });
    const running = embeddedState(place.name, { cidr, nodes, ports });
    await writeState(place, { ...await readState(place), ...running });
    const access = accessTo(cluster);
    const folder = folderOf(place);
    const followPower = await powerFollower(folder, nodes);
    // The command that waits for the start is told which nodes are off.
    await followPower();
    const followFaults = faultFollower(folder, nodes);
    await writeOutcome(place, { pid: Deno.pid, access });
    yield access;
    const follow = async () => {
      await followFaults();
      await followPower();
    };
    await untilStopped(place, follow, signal);
  } finally {
    await cluster.stop();
  }
}

function etcdOf(
  place: ClusterLocation,
  { etcd = "model" }: SavedSpec,
): "model" | RealEtcdOptions {
  return etcd === "model" ? etcd : { ...etcd, folder: etcdFolder(place) };
}

async function claimOf(
  place: ClusterLocation,
): Promise<Deno.FsFile | undefined> {
  try {
    return await lockFolder(folderOf(place));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw clusterNotFound(place);
    throw error;
  }
}

function accessTo(cluster: RunningCluster): EmbeddedAccess {
  return {
    endpoints: cluster.endpoints.map((endpoint) =>
      endpoint.replace(`:${apiPort}`, "")
    ),
    nodes: cluster.nodes.map(({ identity }) => identity.address),
    ...cluster.adminIdentity,
  };
}

function portOf(
  { listening }: RunningCluster,
  { address }: { readonly address: string },
): number {
  return Number(listening.get(address)?.split(":").at(-1));
}

/** Follows the files in the folder, which work also when the process that changes them is killed. */
async function untilStopped(
  place: ClusterLocation,
  follow: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && await readSpec(place) !== undefined) {
    await follow();
    await systemClock.sleep(50, signal);
  }
}

function reasonOf(error: unknown) {
  return {
    error: error instanceof Error ? error.message : String(error),
    hint: error instanceof OsctlError ? error.hint : undefined,
  };
}
