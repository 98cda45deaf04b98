/** Readiness of a node, depending on its etcd and on Kubernetes. */

import { MachineStatusEvent_MachineStage as Stage } from "../../transport/gen/machine_events.ts";
import { putAll, toKey } from "./contents/content.ts";
import {
  registrationContents,
  staticPodContents,
} from "./contents/kubernetes.ts";
import type { SimulatedNode } from "../state/node.ts";
import { setStage, type UnmetCondition } from "./stage.ts";

const localMember = { type: "EtcdMembers.etcd", id: "local" } as const;

/**
 * Handles a healthy member: static pods may run, and so Kubernetes.
 *
 * @param memberId Member ID, 16 hexadecimal digits.
 */
export function onEtcdHealthy(node: SimulatedNode, memberId: string): void {
  const { cluster } = node;
  if (isUp(node, memberId)) return;
  const owner = "etcd.MemberController";
  putAll(node, [{ ...localMember, owner, spec: { memberID: memberId } }]);
  putAll(node, staticPodContents(node));
  if (cluster.etcd.servesKubernetes) return registerNode(node);
  cluster.etcd.servesKubernetes = true;
  cluster.nodes.forEach(registerNode);
}

function isUp(
  { boot: { resources } }: SimulatedNode,
  memberId: string,
): boolean {
  const spec = resources.get(toKey(localMember))?.spec;
  return JSON.stringify(spec) === JSON.stringify({ memberID: memberId });
}

/** Handles a running but unhealthy member. */
export function onEtcdUnhealthy(node: SimulatedNode): void {
  node.boot.resources.remove(toKey(localMember));
  refreshReadiness(node);
}

/** Handles a stopped member: removes the static pods. */
export function onEtcdStopped(node: SimulatedNode): void {
  for (const content of staticPodContents(node)) {
    node.boot.resources.remove(toKey(content));
  }
  onEtcdUnhealthy(node);
}

/** Registers a node with Kubernetes, if both are up. */
export function registerNode(node: SimulatedNode): void {
  const isRunning = node.boot.services.get("kubelet")?.state === "Running";
  if (!isRunning || !node.cluster.etcd.servesKubernetes) return;
  putAll(node, registrationContents(node));
  refreshReadiness(node);
}

/** Reports changes of the unmet conditions of a node once it has booted. */
export function refreshReadiness(node: SimulatedNode): void {
  const { boot: { stage } } = node;
  const isBooted = stage === Stage.BOOTING && node.boot.services.has("kubelet");
  if (!isBooted && stage !== Stage.RUNNING) return;
  const unmet = unmetConditions(node);
  // The next stage follows at once.
  if (isBooted && unmet.length === 0) return;
  const before = node.boot.resources.get(
    toKey({ type: "MachineStatuses.runtime", id: "machine" }),
  )?.spec as { readonly status: { readonly unmetConditions: unknown } };
  if (JSON.stringify(before.status.unmetConditions) === JSON.stringify(unmet)) {
    return;
  }
  setStage(node, stage, unmet);
}

/** Unmet readiness conditions of a booted node. */
export function unmetConditions(
  node: SimulatedNode,
): readonly UnmetCondition[] {
  const { hostname } = node.identity;
  const problems = requiredServices(node).flatMap((id) => {
    const { state, health } = node.boot.services.get(id) ?? {};
    if (state !== "Running") return [`${id} not running`];
    return health?.healthy ? [] : [`${id} not healthy`];
  });
  const status = node.boot.resources.get(
    toKey({ type: "NodeStatuses.kubernetes", id: hostname }),
  );
  const reason = `node "${hostname}" status is not available yet`;
  return [
    ...(problems.length === 0
      ? []
      : [{ name: "services", reason: problems.join(", ") }]),
    ...(status ? [] : [{ name: "nodeReady", reason }]),
  ];
}

function requiredServices({ identity }: SimulatedNode): readonly string[] {
  const all = ["apid", "kubelet", "machined"];
  return identity.machineType === "controlplane"
    ? [...all, "etcd", "trustd"].sort()
    : all;
}
