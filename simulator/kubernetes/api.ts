/** The API of a simulated Kubernetes, without a network. */

import type { Clock } from "../clock/clock.ts";
import { triggerFault } from "../state/faults.ts";
import type { SimulatedCluster, SimulatedNode } from "../state/node.ts";
import { ApiError, apiError } from "./api_error.ts";
import { staticPodImage } from "../node/contents/kubernetes.ts";
import { hasQuorum } from "./availability.ts";
import { discoveryAt } from "./discovery.ts";
import { syncNodes } from "./node_objects.ts";
import {
  type ApiAnswer,
  type ApiRequest,
  isReady,
  kinds,
  type KubeObject,
  type KubernetesRequests,
  readFields,
  readList,
} from "../state/kubernetes_objects.ts";
import {
  isFinished,
  isMirror,
  isTerminating,
  readNodeName,
  readPhase,
  runningPod,
} from "./pod_objects.ts";
import { answerRequest } from "./routes.ts";
import {
  createStore,
  type KubernetesState,
  type ObjectStore,
} from "./store.ts";
import { runTestPods } from "./test_runner.ts";
import { createInitialObjects, reconcileWorkloads } from "./workloads.ts";

/** Kubernetes API of a cluster. */
export interface KubernetesApi extends KubernetesRequests {
  /** Finds an object in its latest state, even while all API servers are unavailable. */
  readonly find: ObjectStore["find"];
  /** Removes an object regardless of its owner. */
  readonly remove: ObjectStore["remove"];
}

/** Makes the Kubernetes API of a cluster whose nodes are not registered yet. */
export function createKubernetesApi(
  cluster: SimulatedCluster,
  clock: Pick<Clock, "now">,
): KubernetesApi {
  const store = createStore(clock);
  const state: KubernetesState = {
    cluster,
    clock,
    store,
    due: new Map(),
    applied: new Map(),
  };
  createInitialObjects(state);
  return {
    reconcile: () => reconcile(state),
    request: (request) => respond(state, request),
    podsOn(node) {
      // Without etcd, controllers and the scheduler are idle, and pods keep running.
      if (hasQuorum(cluster.nodes)) reconcile(state);
      return store.list(kinds.pods).filter((pod) =>
        readNodeName(pod) === node && !isFinished(pod) && !isMirror(pod)
      );
    },
    find: store.find,
    remove: store.remove,
  };
}

function respond(state: KubernetesState, request: ApiRequest): ApiAnswer {
  const [path] = request.path.split("?");
  const { nodes } = state.cluster;
  try {
    if (path === "/version") {
      return { code: 200, body: version(servedVersion(state.cluster)) };
    }
    if (path === "/livez") return { code: 200, body: "ok" };
    if (!hasQuorum(nodes)) throw apiError("etcdTimeout");
    if (path === "/readyz" || path === "/healthz") {
      return { code: 200, body: "ok" };
    }
    const found = discoveryAt(path ?? "");
    if (found !== undefined) return { code: 200, body: found };
    const { changes } = state.store;
    const before = changes();
    reconcile(state);
    const wasDone = changes() === before;
    refuseByWebhook(state, request);
    const answered = answerRequest(state, request);
    // Reads and Lease updates do not make anything due.
    const isIdle = request.method === "GET" || path?.includes("/leases");
    if (!wasDone || !isIdle) reconcile(state);
    return answered;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, body: error.body };
  }
}

/** Rejects requests by webhook while the fault is on in any node, including dry runs. */
function refuseByWebhook(
  { cluster }: KubernetesState,
  { method, path }: ApiRequest,
): void {
  const isMeant = method !== "GET" &&
    /^\/apis\/apps\/v1\/.*\b(?:daemonsets|deployments)\b/.test(path);
  const isRefused = isMeant &&
    cluster.nodes.some((node) =>
      triggerFault(node, "webhook-refuses", "Admission") !== undefined
    );
  if (isRefused) throw apiError("webhookRefused");
}

/** Version of the first control plane that is up, without `v`; others may differ during an upgrade. */
function servedVersion({ kubernetes, nodes }: SimulatedCluster): string {
  const up = nodes.find(({ identity, disk, boot }) =>
    identity.machineType === "controlplane" && disk.configured &&
    boot.reachable
  );
  const image = up === undefined ? "" : staticPodImage(up, "kube-apiserver");
  return /:v([^@:]+)(?:@.*)?$/.exec(image)?.[1] ?? kubernetes;
}

function version(kubernetes: string) {
  const [major, minor] = kubernetes.split(".");
  return {
    major,
    minor,
    gitVersion: `v${kubernetes}`,
    gitTreeState: "clean",
    platform: "linux/amd64",
  };
}

function reconcile(state: KubernetesState): void {
  syncNodes(state);
  updateReadiness(state);
  removeStoppedPods(state);
  reconcileWorkloads(state);
  bindPods(state);
  startPods(state);
  runTestPods(state);
}

/** Removes deleted pods once their kubelet has stopped them. */
function removeStoppedPods({ store, clock, due }: KubernetesState): void {
  for (const pod of store.list(kinds.pods).filter(isTerminating)) {
    const { uid } = pod.metadata;
    const node = readNodeName(pod);
    // A removed node has stopped all its pods; an unavailable one has not reported it.
    const stopping = store.find(kinds.nodes, { name: node });
    const isAway = stopping !== undefined && !isReady(stopping);
    if (isAway || (due.get(uid) ?? 0) > clock.now()) continue;
    due.delete(uid);
    store.remove(kinds.pods, pod.metadata);
  }
}

/** Time from being scheduled to running, in milliseconds. */
const podStartMs = 50;

/** Schedules pods that have no node. */
function bindPods({ store, clock, due }: KubernetesState): void {
  const unbound = store.list(kinds.pods)
    .filter((pod) => readNodeName(pod) === "");
  for (const pod of unbound) {
    const [node] = store.list(kinds.nodes)
      .filter((node) => mayRun(node, pod))
      .map(({ metadata: { name } }) => ({
        name,
        pods: store.list(kinds.pods).filter((one) =>
          readNodeName(one) === name
        ).length,
      }))
      .sort((one, other) => one.pods - other.pods);
    if (node === undefined || isTerminating(pod)) continue;
    due.set(pod.metadata.uid, clock.now() + podStartMs);
    const spec = { ...pod.spec, nodeName: node.name };
    store.replace(kinds.pods, { ...pod, spec });
  }
}

function startPods({ store, clock, due, cluster }: KubernetesState): void {
  for (const pod of store.list(kinds.pods)) {
    const { uid } = pod.metadata;
    const isWaiting = readPhase(pod) === "Pending" && !isTerminating(pod);
    if (!isWaiting || readNodeName(pod) === "") continue;
    if ((due.get(uid) ?? 0) > clock.now()) continue;
    const node = store.find(kinds.nodes, { name: readNodeName(pod) });
    if (node === undefined || !isReady(node)) continue;
    if (cluster.nodes.some((one) => failsToStart(one, pod))) continue;
    due.delete(uid);
    store.replace(kinds.pods, runningPod(pod, node));
  }
}

/** True if a fault keeps a static pod of the control plane on this node from starting. */
function failsToStart(node: SimulatedNode, pod: KubeObject): boolean {
  const { labels = {} } = pod.metadata;
  const isOwn = readNodeName(pod) === node.identity.hostname &&
    labels.tier === "control-plane" && isMirror(pod);
  const fault = node.faults.get("static-pod-fails");
  if (!isOwn || fault === undefined) return false;
  fault.triggered ||= labels.component === "kube-apiserver";
  return true;
}

function updateReadiness({ store }: KubernetesState): void {
  for (const pod of store.list(kinds.pods)) {
    if (readPhase(pod) !== "Running") continue;
    const node = store.find(kinds.nodes, { name: readNodeName(pod) });
    const isUp = node !== undefined && isReady(node);
    if (isUp !== isReady(pod)) {
      store.replace(kinds.pods, runningPod(pod, node));
    }
  }
}

function mayRun({ spec }: KubeObject, pod: KubeObject): boolean {
  const { taints } = readFields(spec);
  const { tolerations } = readFields(pod.spec);
  const tolerated = new Set(readList(tolerations).map(({ key }) => key));
  // A toleration without a key tolerates everything.
  return tolerated.has(undefined) ||
    readList(taints).every(({ key }) => tolerated.has(key));
}
