/** Nodes that join or leave a model cluster. */

import { bootNode, powerOff } from "../../../simulator/boot/boot.ts";
import {
  type MadeCluster,
  makeNode,
  type NodeMaker,
} from "../../../simulator/cluster/make_cluster.ts";
import { removeByOthers } from "../../../simulator/etcd/leave.ts";
import type { KubernetesApi } from "../../../simulator/kubernetes/api.ts";
import { kinds } from "../../../simulator/state/kubernetes_objects.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import type { MachineType } from "../../../simulator/state/node_identity.ts";
import { toKey } from "../../../simulator/node/contents/content.ts";

/** State that joining and leaving change. */
export interface ModelMembership {
  /** Parameters of new nodes. */
  readonly making: NodeMaker & {
    readonly facts: MadeCluster;
  };
  /** All nodes, past and present. */
  readonly ever: SimulatedNode[];
  readonly api: KubernetesApi;
  readonly connect: (node: SimulatedNode) => void;
}

/** Adds a node. Returns when it is ready. */
export async function joinCluster(
  membership: ModelMembership,
  machineType: MachineType,
): Promise<void> {
  const { ever, making, connect } = membership;
  const { nodes } = making.facts;
  const same = ever.filter(({ origin }) => origin.machineType === machineType);
  const seat = { index: ever.length, machineType, number: same.length + 1 };
  const node = await makeNode(seat, making);
  connect(node);
  ever.push(node);
  nodes.splice(findPlace(nodes, machineType), 0, node);
  const booted = bootNode(node);
  node.work(booted);
  await booted;
}

/**
 * Removes a node for good: it is switched off, and removed from the other nodes.
 *
 * @throws {RpcError} If etcd refuses to remove its member.
 */
export async function leaveCluster(
  { making: { facts }, api }: ModelMembership,
  node: SimulatedNode,
): Promise<void> {
  const { hostname, machineType } = node.identity;
  if (machineType === "controlplane") {
    await removeByOthers(node);
    await node.etcd.server.wipe();
  }
  powerOff(node);
  facts.nodes.splice(facts.nodes.indexOf(node), 1);
  facts.shared.remove(toKey({ type: "Members.cluster", id: hostname }));
  api.remove(kinds.nodes, { name: hostname });
}

function findPlace(
  nodes: readonly SimulatedNode[],
  machineType: MachineType,
): number {
  if (machineType === "worker") return nodes.length;
  return nodes.filter(({ origin }) => origin.machineType === "controlplane")
    .length;
}
