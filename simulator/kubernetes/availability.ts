/** Availability of kubelets, API servers and etcd quorum. */

import { triggerFault } from "../state/faults.ts";
import type { SimulatedNode } from "../state/node.ts";

/** True if the kubelet of a node reports. */
export function hasKubelet(node: SimulatedNode): boolean {
  return node.disk.configured && node.boot.reachable && runs(node, "kubelet");
}

/** True if the API server of a control plane is running: it is a pod that uses the local etcd. */
export function hasApiServer(node: SimulatedNode): boolean {
  const { kubernetes, clock, faults } = node;
  return hasEtcd(node) && hasKubelet(node) &&
    kubernetes.servesFrom <= clock.now() &&
    faults.get("static-pod-fails")?.triggered !== true &&
    triggerFault(node, "kubernetes-unavailable", "Kubernetes") === undefined;
}

/** True if more than half of the control planes run etcd. */
export function hasQuorum(nodes: readonly SimulatedNode[]): boolean {
  const members = nodes.filter(isMember);
  return members.filter(hasEtcd).length > members.length / 2;
}

function hasEtcd(node: SimulatedNode): boolean {
  return isMember(node) && node.boot.reachable && runs(node, "etcd");
}

function isMember({ identity, disk: { configured } }: SimulatedNode): boolean {
  return configured && identity.machineType === "controlplane";
}

function runs({ boot: { services } }: SimulatedNode, id: string): boolean {
  return services.get(id)?.state === "Running";
}
