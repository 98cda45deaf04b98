/** Joining of control planes to an existing etcd cluster. */

import { systemClock } from "../clock/clock.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { EtcdClient, InitialCluster } from "../state/etcd.ts";
import { EtcdError } from "./etcd_error.ts";
import { askMember } from "./member_access.ts";

interface JoinResult {
  readonly initial: InitialCluster;
  /** ID of the new member, a learner. */
  readonly learner: bigint;
}

/**
 * Requests to be added from each member until one succeeds or the wait ends.
 *
 * @param waiting Called when no member is available.
 * @throws {EtcdError} If the wait has ended.
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
      // Once it is a member there is nothing left to request.
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
    // Remove the stale member of this node from before it lost its data.
    if (name === self.name) await client.remove(id);
  }
  // An earlier attempt may have succeeded without a reply.
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

/** Requests a promotion to voter from each member until one succeeds or the wait ends. */
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
      // It has to catch up with the leader first.
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

/** Waits for a change; a long wait does not count as work in progress. */
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

/** Makes the control planes among the nodes form a new cluster at their first start. */
export function makeFounders(nodes: readonly SimulatedNode[]): void {
  const founders = nodes.filter(({ identity, disk: { configured } }) =>
    configured && identity.machineType === "controlplane"
  );
  let cluster: Promise<InitialCluster> | undefined;
  for (const { etcd } of founders) {
    etcd.foundCluster = () => cluster ??= initialCluster(founders);
  }
}

/** Describes the initial cluster of some nodes. */
export async function initialCluster(
  nodes: readonly SimulatedNode[],
): Promise<InitialCluster> {
  const members = await Promise.all(nodes.map(async (node) => ({
    name: node.identity.hostname,
    peerUrl: await node.etcd.server.peerUrl(),
  })));
  return { isNew: true, members };
}
