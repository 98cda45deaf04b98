import { poll } from "../../lib/poll.ts";
import { lockFolder } from "../background.ts";
import type { ClusterAccess } from "../provisioner.ts";
import { consoleFollower } from "./console.ts";
import {
  embeddedState,
  etcdFolder,
  openStore,
  readSpec,
  type SavedSpec,
  writeOutcome,
  writeSpec,
} from "./folder.ts";
import { faultFollower } from "./faults.ts";
import { powerFollower } from "./power.ts";
import {
  type ClusterLocation,
  clusterNotFound,
  joinFolder,
  readState,
  writeState,
} from "../state.ts";
import { addressAt } from "../../lib/ip.ts";
import { ConfigError, OsctlError } from "../../errors.ts";
import {
  type RunningCluster,
  startCluster,
} from "../../simulator/cluster/cluster.ts";
import type { RealEtcdOptions } from "../../simulator/etcd/real/real_backend.ts";
import type { Pace } from "../../simulator/state/node.ts";

/** Options for running the nodes. */
export interface ServeOptions {
  readonly signal: AbortSignal;
  /** Operating system, which determines loopback addresses; default of this machine. */
  readonly os?: string;
}

/**
 * Runs the nodes of a cluster in this process until it is stopped or its folder is removed. Yields the client access
 * once, when all nodes are ready. Throws `ConfigError` if there is no such cluster, or it already runs.
 */
export async function* serveEmbedded(
  place: ClusterLocation,
  options: ServeOptions,
): AsyncGenerator<ClusterAccess> {
  using lock = await claimFolder(place);
  if (lock === undefined) {
    throw new ConfigError(`Cluster "${place.name}" is already running`);
  }
  // Read under the lock, which is also held while removing the cluster.
  const spec = await readSpec(place);
  if (spec === undefined) throw clusterNotFound(place);
  await writeOutcome(place);
  try {
    yield* serve(place, spec, options);
  } catch (error) {
    // Must not recreate a removed folder.
    if (await readSpec(place) !== undefined) {
      await writeOutcome(place, { pid: Deno.pid, ...formatReason(error) });
    }
    throw error;
  }
}

/** Slow enough to see every phase of a reboot when polling once a second. */
export const machine: Pace = {
  bootMs: 4_000,
  stopMs: 500,
  downMs: 2_000,
  installMs: 1_000,
  panicMs: 1_000,
  podMs: 3_000,
};

/** A quarter of it: every phase of a reboot can still be seen when polling ten times a second. */
const fast: Pace = {
  bootMs: 1_000,
  stopMs: 125,
  downMs: 500,
  installMs: 250,
  panicMs: 250,
  podMs: 750,
};

const paces = { machine, fast };

async function* serve(
  place: ClusterLocation,
  spec: SavedSpec,
  { signal, os = Deno.build.os }: ServeOptions,
): AsyncGenerator<ClusterAccess> {
  using subnet = claimSubnet(os, {
    wanted: spec.cidr,
    nodes: spec.controlplanes + spec.workers,
    seed: joinFolder(place),
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
    store: openStore(place),
    unconfigured: () => spec.unconfigured ?? false,
    etcd: chooseEtcd(place, spec),
  });
  try {
    const { nodes } = cluster;
    // The start of a cluster does not wait for machines to boot.
    const { pace } = spec;
    if (pace === "machine" || pace === "fast") {
      for (const node of nodes) node.pace = paces[pace];
    }
    const ports = nodes.map(({ identity }) => findPort(cluster, identity));
    await writeSpec(place, { ...spec, cidr, ports });
    const running = embeddedState(place.name, { cidr, nodes, ports });
    await writeState(place, { ...await readState(place), ...running });
    const access = accessTo(cluster);
    const folder = joinFolder(place);
    const followPower = await powerFollower(folder, nodes);
    // The command that waits for the start needs to know which nodes are off.
    await followPower();
    const followFaults = faultFollower(folder, nodes);
    const followConsoles = consoleFollower(folder, nodes);
    await writeOutcome(place, { pid: Deno.pid, access });
    yield access;
    const follow = async () => {
      await followFaults();
      await followPower();
      await followConsoles();
    };
    await untilStopped(place, follow, signal);
  } finally {
    await cluster.stop();
  }
}

function chooseEtcd(
  place: ClusterLocation,
  { etcd = "model" }: SavedSpec,
): "model" | RealEtcdOptions {
  return etcd === "model" ? etcd : { ...etcd, folder: etcdFolder(place) };
}

async function claimFolder(
  place: ClusterLocation,
): Promise<Deno.FsFile | undefined> {
  try {
    return await lockFolder(joinFolder(place));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw clusterNotFound(place);
    throw error;
  }
}

function accessTo(cluster: RunningCluster): ClusterAccess {
  return {
    endpoints: cluster.endpoints.map((endpoint) =>
      endpoint.replace(`:${apiPort}`, "")
    ),
    nodes: cluster.nodes.map(({ identity }) => identity.address),
    ...cluster.adminIdentity,
  };
}

function findPort(
  { listening }: RunningCluster,
  { address }: { readonly address: string },
): number {
  return Number(listening.get(address)?.split(":").at(-1));
}

/** Polls the files in the folder, which also works if the process that changes them is killed. */
async function untilStopped(
  place: ClusterLocation,
  follow: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for await (const _ of poll({ signal }, { everyMs: 50 })) {
    if (await readSpec(place) === undefined) return;
    await follow();
  }
}

function formatReason(error: unknown) {
  return {
    error: error instanceof Error ? error.message : String(error),
    hint: error instanceof OsctlError ? error.hint : undefined,
  };
}

/** Port of the node API. */
export const apiPort = 50_000;

interface SubnetRequest {
  /** Required subnet, from an earlier start; default any free one. */
  readonly wanted?: string | undefined;
  readonly nodes: number;
  /** Seed of the choice: a cluster gets the same subnet again, and others rarely collide. */
  readonly seed: string;
}

interface ClaimedSubnet extends Disposable {
  /** Subnet in CIDR notation, for {@linkcode placeIn}. */
  readonly cidr: string;
}

/** Subnet of clusters whose nodes share 127.0.0.1, with cluster-internal addresses. */
const inside = "10.5.0.0/16";

const small = 250;

/**
 * Claims a subnet for a cluster until this process exits.
 *
 * Linux has all of 127.0.0.0/8, so every node gets an address with the default port; a listener on the first
 * address of the subnet reserves it. Other systems only have 127.0.0.1, and nodes get their own ports.
 *
 * @throws {OsctlError} If no subnet is free.
 */
export function claimSubnet(os: string, wishes: SubnetRequest): ClaimedSubnet {
  if (os !== "linux") return { cidr: inside, [Symbol.dispose]() {} };
  const { wanted } = wishes;
  for (const cidr of wanted === undefined ? subnets(wishes) : [wanted]) {
    const listener = listen(addressAt(cidr, 1));
    if (listener !== undefined) {
      return { cidr, [Symbol.dispose]: () => listener.close() };
    }
  }
  throw new OsctlError(
    `Cannot use ${
      wanted ?? "a subnet of 127.0.0.0/8"
    }: another cluster uses it`,
    { hint: "Remove clusters with: osctl cluster destroy" },
  );
}

/**
 * Returns the address and port of a node.
 *
 * @param cidr Subnet from {@linkcode claimSubnet}.
 * @param index Index of the node from 0.
 */
export function placeIn(cidr: string, index: number): {
  readonly host: string;
  /** Port to listen on; 0 for any free port. */
  readonly port: number;
  readonly address: string;
} {
  const address = addressAt(cidr, index + 2);
  return cidr === inside
    ? { host: "127.0.0.1", port: 0, address }
    : { host: address, port: apiPort, address };
}

/** Lists all subnets that are large enough, in an order derived from the seed. */
function* subnets({ nodes, seed }: SubnetRequest): Generator<string> {
  // Small subnets are in 127.64.0.0/10, large ones in 127.128.0.0/10.
  const [first, bits, count] = nodes <= small
    ? [64, 24, 2 ** 14] as const
    : [128, 16, 2 ** 6] as const;
  const start = hash(seed);
  for (let i = 0; i < count; i++) {
    const offset = ((start + i) % count) * 2 ** (32 - bits);
    yield `${addressAt(`127.${first}.0.0`, offset)}/${bits}`;
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    value = Math.imul(value ^ byte, 0x01000193);
  }
  return value >>> 0;
}

function listen(hostname: string): Deno.Listener | undefined {
  try {
    return Deno.listen({ hostname, port: apiPort });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return undefined;
    throw error;
  }
}
