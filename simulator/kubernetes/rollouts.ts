/** Deployments, ReplicaSets and DaemonSets: their replicas and rolling updates. */

import { createHash } from "node:crypto";
import { deletePod, parsePart } from "./eviction.ts";
import {
  kinds,
  type KubeObject,
  type ObjectFields,
  type ObjectKind,
  readFields,
} from "../state/kubernetes_objects.ts";
import {
  findController,
  isFinished,
  isHealthy,
  isTerminating,
  podDraft,
  readNodeName,
  toOwner,
} from "./pod_objects.ts";
import type { KubernetesState, ObjectStore } from "./store.ts";

/** Pods by the UID of their controller, without finished ones. */
type ControlledPods = ReadonlyMap<string | undefined, readonly KubeObject[]>;

/** Reconciles every controller as far as the state of its pods allows. */
export function reconcileRollouts(state: KubernetesState): void {
  const { store } = state;
  const pods = Map.groupBy(
    store.list(kinds.pods).filter((pod) => !isFinished(pod)),
    findController,
  );
  for (const set of store.list(kinds.daemonsets)) {
    reconcileDaemonSet(state, set, pods.get(set.metadata.uid) ?? []);
  }
  const sets = Map.groupBy(store.list(kinds.replicasets), findController);
  for (const deployment of store.list(kinds.deployments)) {
    const own = sets.get(deployment.metadata.uid) ?? [];
    reconcileDeployment(state, deployment, own, pods);
  }
  for (const set of store.list(kinds.replicasets)) {
    reconcileReplicaSet(state, set, listActive(pods, set));
  }
}

/** Label of pods with the hash of their template. */
const revisionLabel = "controller-revision-hash";
const hashLabel = "pod-template-hash";

function reconcileDaemonSet(
  state: KubernetesState,
  set: KubeObject,
  controlled: readonly KubeObject[],
): void {
  const { store } = state;
  const revision = templateHash(set);
  const nodes = store.list(kinds.nodes);
  // A node gets a new pod only after the old one is removed.
  const taken = new Set(controlled.map(readNodeName));
  const made = nodes.filter(({ metadata: { name } }) => !taken.has(name))
    .map(({ metadata: { name } }) =>
      makePod(store, set, { [revisionLabel]: revision }, name)
    );
  const pods = [...controlled.filter((pod) => !isTerminating(pod)), ...made];
  const old = pods.filter(({ metadata: { labels } }) =>
    labels?.[revisionLabel] !== revision
  );
  const wanted = nodes.length;
  const ready = pods.filter(isHealthy).length;
  const { type, rollingUpdate } = readFields(
    readFields(set.spec).updateStrategy,
  );
  if (type !== "OnDelete") {
    const { maxUnavailable = 1 } = readFields(rollingUpdate);
    const spare = parsePart(maxUnavailable, wanted) - (wanted - ready);
    const unready = old.filter((pod) => !isHealthy(pod)).length;
    deletePods(state, old, unready + Math.max(0, spare));
  }
  setStatus(store, kinds.daemonsets, set, {
    desiredNumberScheduled: wanted,
    currentNumberScheduled: wanted,
    updatedNumberScheduled: pods.length - old.length,
    numberReady: ready,
    numberAvailable: ready,
    numberUnavailable: wanted - ready,
    numberMisscheduled: 0,
  });
}

/** One ReplicaSet per template: that of the current one scales up while the others scale down. */
function reconcileDeployment(
  { store }: Pick<KubernetesState, "store">,
  deployment: KubeObject,
  sets: readonly KubeObject[],
  pods: ControlledPods,
): void {
  const hash = templateHash(deployment);
  const current =
    sets.find(({ metadata: { labels } }) => labels?.[hashLabel] === hash) ??
      makeReplicaSet(store, deployment, hash);
  const old = sets.filter((set) => set !== current);
  const wanted = readReplicas(deployment);
  const { recreates, maxSurge, maxUnavailable } = readStrategy(deployment);
  const active = [current, ...old].flatMap((set) => listActive(pods, set));
  const ready = active.filter(isHealthy).length;
  const required = wanted - maxUnavailable;

  let spare = Math.max(0, ready - required);
  for (const set of old) {
    // Pods that are not ready serve no requests and are removed at once.
    const healthy = listActive(pods, set).filter(isHealthy).length;
    const kept = recreates ? 0 : Math.max(0, healthy - spare);
    spare -= healthy - kept;
    scale(store, set, Math.min(readReplicas(set), kept));
  }
  const left =
    old.flatMap((set) =>
      recreates ? pods.get(set.metadata.uid) ?? [] : listActive(pods, set)
    ).length;
  const room = recreates && left > 0 ? 0 : wanted + maxSurge - left;
  scale(store, current, Math.min(wanted, Math.max(0, room)));

  setStatus(store, kinds.deployments, deployment, {
    replicas: active.length,
    updatedReplicas: listActive(pods, current).length,
    readyReplicas: ready,
    availableReplicas: ready,
    conditions: [{
      type: "Available",
      status: ready >= required ? "True" : "False",
    }],
  });
}

/** Rolling update strategy of a Deployment, in numbers of pods; default 25 %. */
function readStrategy(deployment: KubeObject) {
  const { type, rollingUpdate } = readFields(
    readFields(deployment.spec).strategy,
  );
  const { maxSurge = "25%", maxUnavailable = "25%" } = readFields(
    rollingUpdate,
  );
  const wanted = readReplicas(deployment);
  const surge = parsePart(maxSurge, wanted);
  const away = parsePart(maxUnavailable, wanted, Math.floor);
  return {
    recreates: type === "Recreate",
    maxSurge: surge,
    // Otherwise no pod would ever be replaced.
    maxUnavailable: surge + away === 0 ? 1 : away,
  };
}

function makeReplicaSet(
  store: ObjectStore,
  deployment: KubeObject,
  hash: string,
): KubeObject {
  const { selector, template } = readFields(deployment.spec);
  const { metadata, ...rest } = readFields(template);
  const labels = { ...readLabels(metadata), [hashLabel]: hash };
  const { matchLabels } = readFields(selector);
  return store.create(kinds.replicasets, {
    metadata: {
      ...locateObject(deployment),
      name: `${deployment.metadata.name}-${hash}`,
      labels,
      ownerReferences: [toOwner(deployment)],
    },
    spec: {
      replicas: 0,
      selector: {
        matchLabels: { ...readFields(matchLabels), [hashLabel]: hash },
      },
      template: { ...rest, metadata: { ...readFields(metadata), labels } },
    },
  });
}

function reconcileReplicaSet(
  state: KubernetesState,
  set: KubeObject,
  pods: readonly KubeObject[],
): void {
  const wanted = readReplicas(set);
  for (let count = pods.length; count < wanted; count++) {
    makePod(state.store, set);
  }
  deletePods(state, pods, pods.length - wanted);
  const ready = pods.filter(isHealthy).length;
  setStatus(state.store, kinds.replicasets, set, {
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
  });
}

/** Deletes a number of pods: those that are not ready first, then the newest. */
function deletePods(
  state: KubernetesState,
  pods: readonly KubeObject[],
  count: number,
): void {
  if (count <= 0) return;
  const inTurn = pods.toReversed().toSorted((a, b) =>
    Number(isHealthy(a)) - Number(isHealthy(b))
  );
  for (const pod of inTurn.slice(0, count)) deletePod(state, pod, {});
}

/** Makes a pod. `labels`: in addition to those of the template; `nodeName`: its node, default scheduled. */
function makePod(
  store: ObjectStore,
  owner: KubeObject,
  labels: Readonly<Record<string, string>> = {},
  nodeName?: string,
): KubeObject {
  const { metadata, spec } = readFields(readFields(owner.spec).template);
  return store.create(
    kinds.pods,
    podDraft({
      ...locateObject(owner),
      name: freeName(store, owner),
      labels: { ...readLabels(metadata), ...labels },
      owner: toOwner(owner),
      spec: readFields(spec),
      ...nodeName === undefined ? {} : { nodeName },
    }),
  );
}

function readLabels(metadata: unknown): Readonly<Record<string, string>> {
  // As in drafts; an API server would validate them.
  return readFields(readFields(metadata).labels) as Readonly<
    Record<string, string>
  >;
}

function freeName(store: ObjectStore, owner: KubeObject): string {
  const name = `${owner.metadata.name}-${crypto.randomUUID().slice(0, 5)}`;
  // With hundreds of pods, names may collide.
  const isTaken = store.find(kinds.pods, { ...locateObject(owner), name });
  return isTaken ? freeName(store, owner) : name;
}

/** Pods of a controller that are not being deleted. */
function listActive(
  pods: ControlledPods,
  { metadata: { uid } }: KubeObject,
): readonly KubeObject[] {
  return (pods.get(uid) ?? []).filter((pod) => !isTerminating(pod));
}

function readReplicas({ spec }: KubeObject): number {
  return Number(readFields(spec).replicas ?? 1);
}

function scale(store: ObjectStore, set: KubeObject, replicas: number): void {
  if (readReplicas(set) === replicas) return;
  store.replace(kinds.replicasets, { ...set, spec: { ...set.spec, replicas } });
}

function setStatus(
  store: ObjectStore,
  kind: ObjectKind,
  object: KubeObject,
  counts: ObjectFields,
): void {
  const status = { observedGeneration: object.metadata.generation, ...counts };
  if (JSON.stringify(status) === JSON.stringify(object.status)) return;
  store.replace(kind, { ...object, status });
}

function locateObject(
  { metadata }: KubeObject,
): { readonly namespace: string } {
  return { namespace: metadata.namespace ?? "default" };
}

/** Cache of template hashes, as each request uses them. */
const hashes = new WeakMap<object, string>();

/** Hash of the pod template of a controller: ten hexadecimal digits. */
function templateHash({ spec }: KubeObject): string {
  const template = readFields(readFields(spec).template);
  const known = hashes.get(template);
  if (known !== undefined) return known;
  const hash = createHash("md5").update(JSON.stringify(template)).digest("hex")
    .slice(0, 10);
  hashes.set(template, hash);
  return hash;
}
