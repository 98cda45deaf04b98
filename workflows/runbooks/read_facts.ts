/** Reads the facts for expressions, from all nodes at once; nodes that do not answer are included. */

import { OsctlError, RpcError } from "../../errors.ts";
import { fanOut } from "../../transport/node/fan_out.ts";
import { allMembers, type Member } from "../../transport/node/members.ts";
import { listNodes } from "../kubernetes/nodes.ts";
import type { ClusterView } from "../operations/cluster_view.ts";
import type { ClusterEtcd } from "../etcd/etcd_facts.ts";
import type { OperationClock } from "../../lib/clock.ts";
import { readClusterFacts } from "./cluster_facts.ts";
import type { ClusterFacts, NodeFacts } from "../runbook_cel/facts.ts";
import { etcdPart, readSelfPart, silentPart, zoneIn } from "./node_facts.ts";

interface FactsContext {
  readonly cluster: ClusterView;
  readonly signal: AbortSignal;
  readonly clock: OperationClock;
}

/** Facts read at about one moment. */
export interface Facts {
  readonly cluster: ClusterFacts;
  /** Its nodes, in the order of the member list. */
  readonly nodes: readonly NodeFacts[];
  /** Start of the read, in milliseconds since 1970. */
  readonly readAt: number;
}

const atOnce = 64;

/** Timeout for Kubernetes, in milliseconds; only labels come from there. */
const kubernetesMs = 10_000;

/**
 * Reads all nodes and the cluster.
 *
 * @throws {OsctlError} If no endpoint reports the members of the cluster, or not all of them.
 */
export async function readFacts(context: FactsContext): Promise<Facts> {
  const readAt = context.clock.now();
  // Groups of a runbook need all nodes: a missing one would be skipped.
  const members = allMembers(await context.cluster.members());
  const nodes = await readNodes(context, members);
  const cluster = await readClusterFacts(context.cluster, nodes);
  return { cluster, nodes, readAt };
}

/**
 * Reads some nodes again.
 *
 * Labels are kept: Kubernetes lists those of all nodes at once, and they seldom change.
 *
 * @returns Current facts of the nodes, in the same order.
 */
export function readAgain(
  context: FactsContext,
  before: readonly NodeFacts[],
): Promise<readonly NodeFacts[]> {
  const members = before.map(({ name, address, role }) => ({
    address,
    hostname: name,
    controlPlane: role === "controlplane",
  }));
  const labels = new Map(before.map((one) => [one.address, one.labels]));
  return readNodes(context, members, labels);
}

async function readNodes(
  context: FactsContext,
  members: readonly Member[],
  known?: Shared["labels"],
): Promise<readonly NodeFacts[]> {
  const controlPlanes = members.some(({ controlPlane }) => controlPlane);
  const [etcd, labels] = await Promise.all([
    controlPlanes ? readEtcd(context) : undefined,
    known ?? readLabels(context),
  ]);
  const byAddress = new Map(members.map((one) => [one.address, one]));
  const rows = new Map<string, NodeFacts>();
  const answers = fanOut({
    nodes: [...byAddress.keys()],
    atOnce,
    signal: context.signal,
    async *open(address) {
      const member = byAddress.get(address)!; // a key of the map
      yield await readOne(context, member, { etcd, labels });
    },
  });
  for await (const { node, value } of answers) rows.set(node, value);
  context.signal.throwIfAborted();
  return members.map(({ address }) => rows.get(address)!); // every member has a row
}

interface Shared {
  /** Status of etcd; `undefined` if no node reports it. */
  readonly etcd: ClusterEtcd | undefined;
  /** Labels by address; `undefined` when Kubernetes does not answer. */
  readonly labels:
    | ReadonlyMap<string, Readonly<Record<string, string>>>
    | undefined;
}

async function readOne(
  { cluster }: FactsContext,
  member: Member,
  shared: Shared,
): Promise<NodeFacts> {
  const { address, hostname, controlPlane } = member;
  const known = shared.labels?.get(address);
  const client = await cluster.at(address);
  const wanted = { controlPlane, wantsLabels: !known };
  const self = await orElse(
    () => onceMore(() => readSelfPart(client, wanted)),
    silentPart,
  );
  const { dataDir, ...rest } = self;
  const labels = known ?? self.labels;
  return {
    name: hostname,
    address,
    role: controlPlane ? "controlplane" : "worker",
    ...rest,
    labels,
    zone: zoneIn(labels),
    etcd: { ...etcdPart(shared.etcd, address), dataDir },
  };
}

function readEtcd({ cluster }: FactsContext): Promise<ClusterEtcd | undefined> {
  return orElse(() => cluster.readEtcd(), undefined);
}

function readLabels(
  { cluster, signal }: FactsContext,
): Promise<Shared["labels"]> {
  const late = AbortSignal.any([signal, AbortSignal.timeout(kubernetesMs)]);
  async function labels() {
    const all = await listNodes(await cluster.kubernetes(), late);
    return new Map(
      all.flatMap(({ addresses, labels }) =>
        addresses.map((address) => [address, labels] as const)
      ),
    );
  }
  // Finding a server that answers may take too long.
  return orElse(() => Promise.race([labels(), gaveUp(late)]), undefined);
}

function gaveUp(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const end = () => resolve(undefined);
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Retries once: a broken connection says little about the node. */
async function onceMore<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isBroken = error instanceof RpcError && error.code === "UNAVAILABLE";
    if (!isBroken) throw error;
    return await read();
  }
}

/** Expected errors make a fact unknown; programming errors are raised. */
async function orElse<T, Other>(
  read: () => Promise<T>,
  other: Other,
): Promise<T | Other> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof OsctlError) return other;
    throw error;
  }
}
