/** The etcd of one node: where its data is, and what goes on with it. */

import type { SimulatedNode } from "../node/node.ts";
import type { NodeIdentity } from "../node/node_identity.ts";
import type { EtcdBackend, EtcdServer, InitialCluster } from "./etcd.ts";

/** The etcd of one node. */
export interface NodeEtcd {
  /** Its data and its server. */
  readonly server: EtcdServer;
  /** Gives the cluster that its first start begins; absent when there is to be none. */
  founding: (() => Promise<InitialCluster>) | undefined;
  /** Told when a boot has to wait for it; default nobody is. */
  awaited: () => void;
  /** The service since its last start. */
  instance: EtcdInstance | undefined;
}

/** One start of the service, until it is stopped or the power goes. */
export interface EtcdInstance {
  /** Ends it. */
  readonly stop: AbortController;
  /** Resolves when it runs and its health is known, or it waits for others, or has ended. */
  readonly begun: Promise<void>;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

/** Makes the etcd of a node; it does not run. */
export function nodeEtcd(
  backend: EtcdBackend,
  identity: NodeIdentity,
): NodeEtcd {
  return {
    server: backend.serverOf(identity),
    founding: undefined,
    awaited() {},
    instance: undefined,
  };
}

/** Lets those of the nodes that are control planes begin a cluster together with their first start. */
export function makeFounders(nodes: readonly SimulatedNode[]): void {
  const founders = nodes.filter(({ identity, disk: { configured } }) =>
    configured && identity.machineType === "controlplane"
  );
  let cluster: Promise<InitialCluster> | undefined;
  for (const { etcd } of founders) {
    etcd.founding = () => cluster ??= newCluster(founders);
  }
}

/** A cluster that is to be begun by nodes. */
export async function newCluster(
  nodes: readonly SimulatedNode[],
): Promise<InitialCluster> {
  const members = await Promise.all(nodes.map(async (node) => ({
    name: node.identity.hostname,
    peerUrl: await node.etcd.server.peerUrl(),
  })));
  return { isNew: true, members };
}
