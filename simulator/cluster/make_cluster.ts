/** Creates the nodes of a cluster, or restores them from saved state. */

import { defaultContract } from "../../config/generate/contract.ts";
import {
  generateSecrets,
  newServiceAccountKey,
} from "../../config/generate/secrets.ts";
import { firstEntry, type LoaderKind } from "../release/boot_entries.ts";
import { type Clock, systemClock } from "../clock/clock.ts";
import type { EtcdBackend } from "../state/etcd.ts";
import { makeFounders } from "../etcd/join.ts";
import { etcdModel } from "../etcd/model_backend.ts";
import {
  type Hosts,
  realEtcd,
  type RealEtcdOptions,
} from "../etcd/real/real_backend.ts";
import { writeModel } from "../etcd/saved_model.ts";
import {
  createNode,
  type Pace,
  type SimulatedCluster,
  type SimulatedNode,
} from "../state/node.ts";
import { loadIdentity } from "../state/node_configuration.ts";
import type { UserDisk } from "../state/node_disk.ts";
import type { MachineType } from "../state/node_identity.ts";
import {
  behaves,
  defaultVersions,
  kubernetesFor,
  type Release,
  releaseFor,
} from "../release/release.ts";
import { caIn } from "../state/trust.ts";
import { descriptions } from "../resources/resource_definitions.ts";
import { createResources } from "../resources/resources.ts";
import type { Background } from "../state/background.ts";
import {
  assignHosts,
  formatAddress,
  loopbackAddresses,
  type NodeAddresses,
} from "../state/node_address.ts";
import {
  loadCluster,
  loadNode,
  noStore,
  saveCluster,
  type SavedCluster,
  saveNode,
  type Store,
} from "./saved_state.ts";

/** Options of a cluster. */
export interface ClusterOptions {
  /** Name of the cluster; default `simulated`. */
  readonly name?: string;
  /** Number of control planes, at least 1; default 1. */
  readonly controlplanes?: number;
  /** Number of workers; default 0. */
  readonly workers?: number;
  /** Node addresses; default 127.0.0.1, each on a free port. */
  readonly addresses?: NodeAddresses;
  /** Selects new nodes without a configuration, by the index passed to {@linkcode addresses}; default none. */
  readonly unconfigured?: (index: number) => boolean;
  /** YAML configuration of a new node by index; default generated from the cluster's secrets. */
  readonly configuration?: (index: number) => string | undefined;
  /** User disks per node, or their number; each of a number has one partition; default 0. */
  readonly userDisks?: number | readonly UserDisk[];
  /** Versions of the operating system; omitted ones follow from the tag. */
  readonly release?: Partial<Release>;
  /** Kubernetes version, without `v`; default 1.34.1, or the default of a release that does not support it. */
  readonly kubernetes?: string;
  /** Clock; default the system clock. */
  readonly clock?: Clock;
  /** Boot loader of a node by index; default GRUB up to v1.9, then systemd-boot. */
  readonly bootLoader?: (index: number) => LoaderKind;
  /** Message size of byte streams; default 1024, as on real nodes. */
  readonly chunkBytes?: number;
  /** Duration of boots, for all nodes or by index. */
  readonly pace?: Partial<Pace> | ((index: number) => Partial<Pace>);
  /** Persistent state; default none. */
  readonly store?: Store;
  /** False if new control planes wait for `Bootstrap`; default true. */
  readonly bootstrapped?: boolean;
  /** etcd of the control planes; default a model. */
  readonly etcd?: "model" | RealEtcdOptions | EtcdBackend;
  /** Keys, certificates and tokens of a new cluster; default generated, which is slow. */
  readonly secrets?: SavedCluster;
}

/** A cluster with its nodes. */
export interface MadeCluster extends SimulatedCluster {
  /** All nodes, control planes first; nodes may be added and removed. */
  readonly nodes: SimulatedNode[];
}

interface ClusterContext {
  readonly ended: AbortSignal;
  readonly background: Background;
}

/** Creates a cluster whose nodes are powered off. Throws ConfigError if the store does not contain a cluster. */
export async function makeCluster(
  options: ClusterOptions,
  life: ClusterContext,
): Promise<MadeCluster> {
  const { controlplanes = 1, workers = 0, clock = systemClock } = options;
  const { store = noStore, etcd = "model", addresses } = options;
  const nodes: SimulatedNode[] = [];
  const count = controlplanes + workers;
  const { tag = defaultVersions.tag } = options.release ?? {};
  const release = { ...releaseFor(tag), ...options.release };
  const cluster = await loadCluster(store) ?? options.secrets ??
    await newClusterSecrets(store, clock);
  const hosts = assignHosts(count, addresses);
  const { backend, isNew } = await makeEtcd({ etcd, store, release, hosts });
  const facts: MadeCluster = {
    ...cluster,
    etcd: { backend, servesKubernetes: false },
    id: cluster.secrets.cluster.id,
    name: options.name ?? "simulated",
    release,
    kubernetes: options.kubernetes ?? kubernetesFor(tag),
    shared: createResources(clock),
    descriptions: descriptions(clock),
    nodes,
  };
  const all = Array.from(
    { length: count },
    (_, index) =>
      makeNode(placeNode(index, options), { options, facts, clock, life }),
  );
  nodes.push(...await Promise.all(all));
  if (isNew && options.bootstrapped !== false) makeFounders(nodes);
  return facts;
}

/** Generates the secrets that the nodes of a new cluster share. */
export async function newClusterSecrets(
  store: Store,
  clock: Pick<Clock, "now">,
): Promise<SavedCluster> {
  const secrets = await generateSecrets({
    contract: defaultContract,
    // Nodes with slight clock skew must accept the certificates.
    now: new Date(clock.now() - hourMs),
    // The RSA key of new clusters takes a second to generate; nodes accept this one as well.
    given: { certs: { k8sServiceAccount: await newServiceAccountKey() } },
  });
  const cluster = { secrets, osCa: await caIn(secrets.certs.os) };
  await saveCluster(store, cluster);
  return cluster;
}

/** Position of a node in the cluster. */
export interface NodePosition {
  /** Index among all created nodes, from 0. */
  readonly index: number;
  readonly machineType: MachineType;
  /** Number in the node name, from 1. */
  readonly number: number;
}

/**
 * Finds a node by its current or original name or address.
 *
 * @throws {RangeError} If there is none.
 */
export function findNode(
  nodes: readonly SimulatedNode[],
  name: string,
): SimulatedNode {
  const node = nodes.find(({ identity, origin }) =>
    [identity, origin].some(({ address, hostname }) =>
      address === name || hostname === name
    )
  );
  if (!node) throw new RangeError(`No simulated node is named "${name}"`);
  return node;
}

/** Inputs for creating nodes. */
export interface NodeMaker {
  readonly options: ClusterOptions;
  readonly facts: SimulatedCluster;
  readonly clock: Clock;
  readonly life: ClusterContext;
}

/** Returns the position of a node in a new cluster: control planes first. */
function placeNode(
  index: number,
  { controlplanes = 1 }: ClusterOptions,
): NodePosition {
  return index < controlplanes
    ? { index, machineType: "controlplane", number: index + 1 }
    : { index, machineType: "worker", number: index - controlplanes + 1 };
}

/**
 * Creates a powered-off node, or restores it from saved state. Throws `ConfigError` if the store
 * does not contain a node.
 */
export async function makeNode(
  { index, machineType, number }: NodePosition,
  { options, facts, clock, life }: NodeMaker,
): Promise<SimulatedNode> {
  const { addresses = loopbackAddresses, store = noStore, pace } = options;
  const { release: { tag } } = facts;
  const hostname = `${facts.name}-${machineType}-${number}`;
  const address = formatAddress(addresses(index), index);
  const saved = await loadNode(store, hostname);
  const uuid = saved?.uuid ?? crypto.randomUUID();
  const node: SimulatedNode = createNode({
    origin: { hostname, address, machineType, uuid },
    cluster: facts,
    clock,
    pace: {
      ...usualPace,
      ...(typeof pace === "function" ? pace(index) : pace),
    },
    ended: life.ended,
    work: life.background.work,
    idle: life.background.idle,
    save: () => saveNode(store, node),
    chunkBytes: options.chunkBytes ?? 1024,
  });
  node.disk.configured = saved?.configured ?? !options.unconfigured?.(index);
  node.disk.bootLoader = options.bootLoader?.(index) ??
    (behaves(node, "installsGrub") ? "grub" : "systemd-boot");
  node.disk.userDisks = saved?.userDisks ?? newDisks(options.userDisks ?? 0);
  if (saved) {
    for (const [key, value] of saved.meta) node.disk.meta.set(key, value);
    for (const [label, n] of saved.wipes) node.disk.wipes.set(label, n);
    node.disk.bootEntries = saved.boot;
  }
  if (node.disk.configured) {
    node.disk.bootEntries ??= firstEntry({ tag, schematic: vanilla });
  }
  node.disk.configuration = saved?.configuration ??
    options.configuration?.(index);
  node.isOff = saved?.isOff ?? false;
  if (node.disk.configured) await loadIdentity(node);
  if (!saved) await node.save();
  return node;
}

function newDisks(
  count: NonNullable<ClusterOptions["userDisks"]>,
): readonly UserDisk[] {
  if (typeof count !== "number") return count;
  return Array.from({ length: count }, (_, index) => ({
    name: `vd${"bcdefghijk".charAt(index)}`,
    partitions: [{ number: 1, filesystem: "xfs" }],
  }));
}

/** Schematic of an image without extensions or extra kernel arguments. */
const vanilla =
  "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

const usualPace: Pace = {
  bootMs: 0,
  stopMs: 100,
  downMs: 100,
  installMs: 100,
  panicMs: 100,
  podMs: 0,
};

const hourMs = 3_600_000;

/** Creates etcd. Throws ConfigError if the store contains other data or etcd is not installed. */
async function makeEtcd(
  { etcd, store, release, hosts }: {
    readonly etcd: "model" | RealEtcdOptions | EtcdBackend;
    readonly store: Store;
    readonly release: Release;
    readonly hosts: Hosts;
  },
): Promise<{
  readonly backend: EtcdBackend;
  readonly isNew: boolean;
}> {
  if (etcd !== "model" && "openServer" in etcd) {
    return { backend: etcd, isNew: true };
  }
  const saved = await store.read(name);
  const isNew = saved === undefined;
  const save = (text: string) => store.write(name, text);
  if (etcd !== "model") {
    const backend = await realEtcd(etcd, hosts);
    if (isNew) await save("{}");
    return { backend, isNew };
  }
  const version = release.etcd.replace(/^v/, "");
  const keeps = store === noStore ? {} : { save };
  const backend = etcdModel({ saved, version, ...keeps });
  if (isNew) await save(writeModel(backend.data));
  return { backend, isNew };
}

const name = "etcd.json";
