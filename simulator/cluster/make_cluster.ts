/** Makes the nodes of a cluster, or finds them as they were left. */

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

/** What a cluster is made from. */
export interface ClusterOptions {
  /** Name of the cluster; default `simulated`. */
  readonly name?: string;
  /** Number of control planes, at least 1; default 1. */
  readonly controlplanes?: number;
  /** Number of workers; default 0. */
  readonly workers?: number;
  /** Where nodes are; default 127.0.0.1, each on a free port. */
  readonly addresses?: NodeAddresses;
  /** Which new nodes have no configuration, by the index that {@linkcode addresses} gets; default none. */
  readonly unconfigured?: (index: number) => boolean;
  /** Configuration of a new node by its index, YAML; default what the cluster's secrets make, for any node. */
  readonly configuration?: (index: number) => string | undefined;
  /** Number of disks of each node beside the system disk, each with one partition; default 0. */
  readonly userDisks?: number;
  /** Versions of the operating system; of what is left out, those the tag brings. */
  readonly release?: Partial<Release>;
  /** Version of Kubernetes, without `v`; default 1.34.1, or that of a release that does not support it. */
  readonly kubernetes?: string;
  /** Time; default this machine's. */
  readonly clock?: Clock;
  /** What starts a node, by its index; default GRUB up to v1.9, then systemd-boot. */
  readonly bootLoader?: (index: number) => LoaderKind;
  /** Size of the messages byte streams are cut into; default 1024, as nodes do. */
  readonly chunkBytes?: number;
  /** How long boots take; of all nodes, or of each by its index. */
  readonly pace?: Partial<Pace> | ((index: number) => Partial<Pace>);
  /** What outlives the process; default nothing. */
  readonly store?: Store;
  /** False when new control planes wait for `Bootstrap`; default true. */
  readonly bootstrapped?: boolean;
  /** What control planes run as etcd; default a model of it. */
  readonly etcd?: "model" | RealEtcdOptions | EtcdBackend;
  /** Keys, certificates and tokens of a new cluster; default they are made, which takes a while. */
  readonly secrets?: SavedCluster;
}

/** A cluster whose nodes were made. */
export interface MadeCluster extends SimulatedCluster {
  /** All nodes, control planes first; one more may be added, and one may go. */
  readonly nodes: SimulatedNode[];
}

interface ClusterContext {
  /** Aborts when the simulation ends. */
  readonly ended: AbortSignal;
  readonly background: Background;
}

/** Makes a cluster whose nodes are switched off. Throws ConfigError when the store holds something else. */
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

/** Makes what the nodes of a new cluster have in common. */
export async function newClusterSecrets(
  store: Store,
  clock: Pick<Clock, "now">,
): Promise<SavedCluster> {
  const secrets = await generateSecrets({
    contract: defaultContract,
    // Nodes whose clocks differ a little must take the certificates.
    now: new Date(clock.now() - hourMs),
    // An RSA key, which new clusters have, takes a second to make; nodes take this one as well.
    given: { certs: { k8sServiceAccount: await newServiceAccountKey() } },
  });
  const cluster = { secrets, osCa: await caIn(secrets.certs.os) };
  await saveCluster(store, cluster);
  return cluster;
}

/** Which node is made. */
export interface NodePosition {
  /** Where it is among all nodes that were made, from 0. */
  readonly index: number;
  readonly machineType: MachineType;
  /** Its number in its name, from 1. */
  readonly number: number;
}

/** What nodes are made from. */
export interface NodeMaker {
  /** What the cluster was made from. */
  readonly options: ClusterOptions;
  readonly facts: SimulatedCluster;
  readonly clock: Clock;
  readonly life: ClusterContext;
}

/** Where the nodes of a new cluster stand: control planes first. */
function placeNode(
  index: number,
  { controlplanes = 1 }: ClusterOptions,
): NodePosition {
  return index < controlplanes
    ? { index, machineType: "controlplane", number: index + 1 }
    : { index, machineType: "worker", number: index - controlplanes + 1 };
}

/**
 * Makes a node that is switched off, or finds it as it was left. Throws `ConfigError` when the store
 * holds something else.
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

function newDisks(count: number): readonly UserDisk[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `vd${"bcdefghijk".charAt(index)}`,
    partitions: [{ number: 1, filesystem: "xfs" }],
  }));
}

/** Schematic of an image without extensions and kernel arguments of its own. */
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

/** Makes etcd. Throws ConfigError when the store holds something else, or etcd is not installed. */
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
  if (etcd !== "model" && "serverOf" in etcd) {
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
