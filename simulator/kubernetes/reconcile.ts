/** What goes on in the simulated Kubernetes from one moment to the next. */

import {
  fieldsOf,
  kinds,
  type KubeObject,
  type ObjectFields,
} from "./objects.ts";
import { isReady, syncNodes } from "./node_objects.ts";
import {
  isPodReady,
  isTerminating,
  nodeNameOf,
  phaseOf,
  runningPod,
} from "./pod_objects.ts";
import type { KubernetesState } from "./store.ts";
import { reconcileWorkloads } from "./workloads.ts";

/** Lets everything happen that is due by now. */
export function reconcile(state: KubernetesState): void {
  syncNodes(state);
  follow(state);
  leave(state);
  reconcileWorkloads(state);
  place(state);
  start(state);
}

/** Pods that were deleted go, once their kubelet has stopped them. */
function leave({ store, clock, due }: KubernetesState): void {
  for (const pod of store.list(kinds.pods).filter(isTerminating)) {
    const { uid } = pod.metadata;
    const node = nodeNameOf(pod);
    // A node that is gone has stopped all its pods; one that is away has not said so.
    const stopping = store.find(kinds.nodes, { name: node });
    const isAway = stopping !== undefined && !isReady(stopping);
    if (isAway || (due.get(uid) ?? 0) > clock.now()) continue;
    due.delete(uid);
    store.remove(kinds.pods, pod.metadata);
  }
}

/** Pods without a node get one, if there is one for them. */
function place({ store, clock, due, pace }: KubernetesState): void {
  const pods = store.list(kinds.pods);
  const load = Map.groupBy(pods, nodeNameOf);
  for (const pod of load.get("") ?? []) {
    const [node] = store.list(kinds.nodes)
      .filter((node) => mayRun(node, pod))
      .map(({ metadata: { name } }) => ({
        name,
        pods: store.list(kinds.pods).filter((one) =>
          nodeNameOf(one) === name
        ).length,
      }))
      .sort((one, other) => one.pods - other.pods);
    if (node === undefined || isTerminating(pod)) continue;
    due.set(pod.metadata.uid, clock.now() + pace.startMs);
    const spec = { ...pod.spec, nodeName: node.name };
    store.replace(kinds.pods, { ...pod, spec });
  }
}

/** Pods that are on a node begin to run. */
function start({ store, clock, due }: KubernetesState): void {
  for (const pod of store.list(kinds.pods)) {
    const { uid } = pod.metadata;
    const isWaiting = phaseOf(pod) === "Pending" && !isTerminating(pod);
    if (!isWaiting || nodeNameOf(pod) === "") continue;
    if ((due.get(uid) ?? 0) > clock.now()) continue;
    const node = store.find(kinds.nodes, { name: nodeNameOf(pod) });
    if (node === undefined || !isReady(node)) continue;
    due.delete(uid);
    store.replace(kinds.pods, runningPod(pod, true));
  }
}

/** Pods are ready as long as their node is. */
function follow({ store }: KubernetesState): void {
  for (const pod of store.list(kinds.pods)) {
    if (phaseOf(pod) !== "Running") continue;
    const node = store.find(kinds.nodes, { name: nodeNameOf(pod) });
    const isUp = node !== undefined && isReady(node);
    if (isUp !== isPodReady(pod)) {
      store.replace(kinds.pods, runningPod(pod, isUp));
    }
  }
}

function mayRun({ spec }: KubeObject, pod: KubeObject): boolean {
  const { taints } = fieldsOf(spec);
  const { tolerations } = fieldsOf(pod.spec);
  const tolerated = new Set(listOf(tolerations).map(({ key }) => key));
  return listOf(taints).every(({ key }) => tolerated.has(key));
}

function listOf(value: unknown): readonly ObjectFields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
