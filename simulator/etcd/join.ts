/** How a control plane becomes a member of an etcd cluster that is there already. */

import { systemClock } from "../clock/clock.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { EtcdClient, InitialCluster } from "../state/etcd.ts";
import { EtcdError } from "./etcd_error.ts";
import { askMember } from "./member_access.ts";

interface JoinResult {
  readonly initial: InitialCluster;
  /** Identity of the new member, which has no vote yet. */
  readonly learner: bigint;
}

/**
 * Asks members to be added, until one does it or the wait ends.
 *
 * @param waiting Called when there is no member to ask.
 * @throws {EtcdError} When the wait has ended.
 */
export async function join(
  node: SimulatedNode,
  signal: AbortSignal,
  waiting: () => void,
): Promise<JoinResult> {
  const peerUrl = await node.etcd.server.peerUrl();
  const { hostname: name } = node.identity;
  while (!signal.aborted) {
    const { changes } = node.cluster.etcd.backend;
    const count = changes.count();
    try {
      // Once it is a member there is nothing left to ask for.
      return await askMember(node, (client) => add(client, { name, peerUrl }));
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      const isHopeless = error.code === "UNAVAILABLE";
      if (isHopeless) waiting();
      await beforeNextTry(node, { signal, count, isHopeless });
    }
  }
  throw new EtcdError("context canceled");
}

async function add(
  client: EtcdClient,
  self: InitialCluster["members"][number],
): Promise<JoinResult> {
  const before = await client.members();
  for (const { id, name } of before) {
    // What is left of the member this node was before it lost its data.
    if (name === self.name) await client.remove(id);
  }
  // An earlier attempt may have succeeded, and its reply been lost.
  const added = before.find(({ name, peerUrls }) =>
    name === "" && peerUrls.includes(self.peerUrl)
  );
  const learner = added?.id ?? await client.addLearner(self.peerUrl);
  const members = await client.members();
  return {
    learner,
    initial: {
      isNew: false,
      members: members.flatMap(({ id, name, peerUrls }) =>
        peerUrls.map((peerUrl) => ({
          name: id === learner ? self.name : name,
          peerUrl,
        }))
      ),
    },
  };
}

/** Asks members to give a new one its vote, until one does it or the wait ends. */
export async function promote(
  node: SimulatedNode,
  id: bigint,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { changes } = node.cluster.etcd.backend;
    const count = changes.count();
    if (node.faults.has("etcd-learner")) {
      await node.idle(changes.after(count, signal));
      continue;
    }
    try {
      // It has to be in step with the leader first.
      await askMember(node, (client) => client.promote(id));
      return changes.notify();
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      if (error.refusal === "notLearner") return;
      if (error.refusal === "memberNotFound") return;
    }
    await beforeNextTry(node, { signal, count, isHopeless: false });
  }
}

/** Waits until something is different, where it may take a while without counting as work. */
async function beforeNextTry(
  node: SimulatedNode,
  { signal, count, isHopeless }: {
    readonly signal: AbortSignal;
    readonly count: number;
    readonly isHopeless: boolean;
  },
): Promise<void> {
  const { changes, retryMs } = node.cluster.etcd.backend;
  if (isHopeless || retryMs === undefined) {
    return await node.idle(changes.after(count, signal));
  }
  await systemClock.sleep(retryMs, signal);
}

/** Lets those of the nodes that are control planes begin a cluster together with their first start. */
export function makeFounders(nodes: readonly SimulatedNode[]): void {
  const founders = nodes.filter(({ identity, disk: { configured } }) =>
    configured && identity.machineType === "controlplane"
  );
  let cluster: Promise<InitialCluster> | undefined;
  for (const { etcd } of founders) {
    etcd.foundCluster = () => cluster ??= initialCluster(founders);
  }
}

/** A cluster that is to be started by nodes. */
export async function initialCluster(
  nodes: readonly SimulatedNode[],
): Promise<InitialCluster> {
  const members = await Promise.all(nodes.map(async (node) => ({
    name: node.identity.hostname,
    peerUrl: await node.etcd.server.peerUrl(),
  })));
  return { isNew: true, members };
}
