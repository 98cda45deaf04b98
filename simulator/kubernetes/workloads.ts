/** What runs in every cluster: the static pods of control planes, pods on every node, and the name servers. */

import { createHash } from "node:crypto";
import { settingsOf } from "../node/node_settings.ts";
import { podName, podNamespace } from "../resources/contents/settings.ts";
import { manifestObjects } from "../resources/contents/manifests.ts";
import {
  staticPodImage,
  staticPods,
} from "../resources/contents/kubernetes.ts";
import { domain } from "../../dialect.ts";
import type { SimulatedNode } from "../node/node.ts";
import {
  fieldsOf,
  kinds,
  type KubeObject,
  type ObjectFields,
} from "./objects.ts";
import {
  controllerOf,
  isFinished,
  isHealthy,
  isTerminating,
  mirrorAnnotation,
  nodeNameOf,
  ownerOf,
  podDraft,
} from "./pod_objects.ts";
import { hasKubelet } from "./availability.ts";
import type { KubernetesState } from "./store.ts";

const namespace = "kube-system";

/** Objects a new cluster has. */
export function createInitialObjects(
  { store, cluster }: KubernetesState,
): void {
  for (
    const name of ["default", "kube-node-lease", "kube-public", namespace]
  ) {
    const status = { phase: "Active" };
    store.create(kinds.namespaces, { metadata: { name }, status });
  }
  const proxy = `registry.k8s.io/kube-proxy:v${cluster.kubernetes}`;
  for (
    const { apiVersion: _, kind: name, ...draft } of manifestObjects(proxy)
  ) {
    const kind = Object.values(kinds).find(({ kind }) => kind === name);
    if (kind !== undefined) store.create(kind, draft);
  }
}

/** Brings pods to the number their owners want. */
export function reconcileWorkloads(state: KubernetesState): void {
  const { store, cluster } = state;
  const configured = Map.groupBy(
    store.list(kinds.pods).filter(isConfigured),
    nodeNameOf,
  );
  for (const node of cluster.nodes.filter(hasKubelet)) {
    createMirrorPods(state, node, configured.get(node.identity.hostname) ?? []);
  }
  const owned = Map.groupBy(store.list(kinds.pods), controllerOf);
  for (const set of store.list(kinds.daemonsets)) {
    reconcileDaemonSet(state, set, podsOf(owned, set));
  }
  for (const deployment of store.list(kinds.deployments)) {
    reconcileDeployment(state, deployment, owned);
  }
  for (const set of store.list(kinds.replicasets)) {
    reconcileReplicaSet(state, set, podsOf(owned, set));
  }
}

/** What the kubelet of a node runs by itself; what is configured otherwise is started anew. */
function createMirrorPods(
  state: KubernetesState,
  node: SimulatedNode,
  configured: readonly KubeObject[],
): void {
  const { hostname, machineType } = node.identity;
  const owner = state.store.find(kinds.nodes, { name: hostname });
  if (owner === undefined) return;
  mirrorConfigured(state, node, owner, configured);
  if (machineType === "controlplane") mirrorControlPlane(state, node, owner);
}

/** Mirrors the static pods of a node's configuration, and removes those of `configured` that it does not have any more. */
function mirrorConfigured(
  { store }: KubernetesState,
  node: SimulatedNode,
  owner: KubeObject,
  configured: readonly KubeObject[],
): void {
  const { hostname } = node.identity;
  const wanted = new Set<string>();
  for (const pod of settingsOf(node).pods) {
    const place = {
      namespace: podNamespace(pod),
      name: `${podName(pod)}-${hostname}`,
    };
    wanted.add(`${place.namespace}/${place.name}`);
    const hash = hashOf(JSON.stringify(pod));
    const running = store.find(kinds.pods, place);
    if (running?.metadata.annotations?.[hashAnnotation] === hash) continue;
    if (running !== undefined) store.remove(kinds.pods, running.metadata);
    const { labels, annotations } = fieldsOf(pod.metadata);
    store.create(
      kinds.pods,
      podDraft({
        ...place,
        // As configurations have them; an API server would check them.
        labels: fieldsOf(labels) as Readonly<Record<string, string>>,
        annotations: {
          ...fieldsOf(annotations),
          [hashAnnotation]: hash,
          [mirrorAnnotation]: hash,
          [sourceAnnotation]: configuredSource,
        },
        owner: ownerOf(owner),
        nodeName: hostname,
        spec: fieldsOf(pod.spec),
      }),
    );
  }
  for (const { metadata } of configured) {
    const { namespace, name } = metadata;
    if (!wanted.has(`${namespace}/${name}`)) store.remove(kinds.pods, metadata);
  }
}

/** Whether a pod is a static pod of a node's configuration. */
function isConfigured({ metadata: { annotations } }: KubeObject): boolean {
  return annotations?.[sourceAnnotation] === configuredSource;
}

/** Where the kubelet has a static pod from. */
const sourceAnnotation = "kubernetes.io/config.source";
const configuredSource = "http";
const hashAnnotation = "kubernetes.io/config.hash";

/** Thirty-two hexadecimal digits that follow from a text. */
function hashOf(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

function mirrorControlPlane(
  { store, clock, due }: KubernetesState,
  node: SimulatedNode,
  owner: KubeObject,
): void {
  const { hostname } = node.identity;
  for (const id of staticPods) {
    const name = `${id}-${hostname}`;
    const version = configVersion(node, id);
    const running = store.find(kinds.pods, { namespace, name });
    const { annotations } = running?.metadata ?? {};
    if (annotations?.[configVersionAnnotation] === version) continue;
    if (running !== undefined) store.remove(kinds.pods, running.metadata);
    const draft = podDraft({
      namespace,
      name,
      labels: { "k8s-app": id, component: id, tier: "control-plane" },
      annotations: {
        [sourceAnnotation]: "file",
        [configVersionAnnotation]: version,
        [mirrorAnnotation]: crypto.randomUUID().replaceAll("-", ""),
      },
      owner: ownerOf(owner),
      nodeName: hostname,
      spec: podSpec(id, staticPodImage(node, id)),
    });
    const { metadata: { uid } } = store.create(kinds.pods, draft);
    if (running === undefined || node.pace.podMs === 0) continue;
    due.set(uid, clock.now() + node.pace.podMs);
    if (id === "kube-apiserver") {
      node.kubernetes.servesFrom = node.clock.now() + node.pace.podMs;
    }
  }
}

/** Annotation of static pods with the version of the resource that configures them. */
const configVersionAnnotation = `${domain}/config-version`;

/** Types of those resources. */
const configTypes: Readonly<Record<string, string>> = {
  "kube-apiserver": "APIServerConfigs",
  "kube-controller-manager": "ControllerManagerConfigs",
  "kube-scheduler": "SchedulerConfigs",
};

function configVersion({ boot }: SimulatedNode, id: string): string {
  const type = `${configTypes[id]}.kubernetes.${domain}`;
  const found = boot.resources.get({ namespace: "controlplane", type, id });
  return String(found?.version ?? 1);
}

/** One pod on each node, also on those that are closed. */
function reconcileDaemonSet(
  { store }: KubernetesState,
  set: KubeObject,
  pods: readonly KubeObject[],
): void {
  const names = new Set(pods.map(({ spec }) => spec?.nodeName));
  const nodes = store.list(kinds.nodes);
  for (const { metadata: { name } } of nodes) {
    if (!names.has(name)) makePod({ store }, set, { nodeName: name });
  }
  const wanted = nodes.length;
  const ready = pods.filter(isHealthy).length;
  const counted = {
    desiredNumberScheduled: wanted,
    currentNumberScheduled: wanted,
    updatedNumberScheduled: wanted,
    numberReady: ready,
    numberAvailable: ready,
    numberUnavailable: wanted - ready,
    numberMisscheduled: 0,
  };
  setStatus({ store }, kinds.daemonsets, set, counted);
}

function reconcileDeployment(
  { store }: KubernetesState,
  deployment: KubeObject,
  owned: OwnedPods,
): void {
  const { replicas = 1, selector, template } = fieldsOf(deployment.spec);
  const owner = ownerOf(deployment);
  const name = `${owner.name}-7d4b9c6f8`;
  const found = store.find(kinds.replicasets, { ...deployment.metadata, name });
  const spec = { replicas, selector, template };
  const set = found ?? store.create(kinds.replicasets, {
    metadata: { ...placeOf(deployment), name, ownerReferences: [owner] },
    spec,
  });
  if (fieldsOf(set.spec).replicas !== replicas) {
    store.replace(kinds.replicasets, { ...set, spec });
  }
  const ready = podsOf(owned, set).filter(isHealthy).length;
  const status = ready >= Number(replicas) ? "True" : "False";
  setStatus({ store }, kinds.deployments, deployment, {
    replicas,
    updatedReplicas: replicas,
    readyReplicas: ready,
    availableReplicas: ready,
    conditions: [{ type: "Available", status }],
  });
}

function reconcileReplicaSet(
  { store }: KubernetesState,
  set: KubeObject,
  pods: readonly KubeObject[],
): void {
  const wanted = Number(fieldsOf(set.spec).replicas ?? 1);
  for (let count = pods.length; count < wanted; count++) {
    makePod({ store }, set);
  }
}

function makePod(
  { store }: Pick<KubernetesState, "store">,
  set: KubeObject,
  bound: Partial<Record<"nodeName", string>> = {},
): void {
  const template = fieldsOf(fieldsOf(set.spec).template);
  const { labels = {} } = fieldsOf(template.metadata);
  const draft = podDraft({
    ...placeOf(set),
    name: freeName({ store }, set),
    labels: labels as Readonly<Record<string, string>>, // as drafts have them
    owner: ownerOf(set),
    spec: fieldsOf(template.spec),
    ...bound,
  });
  store.create(kinds.pods, draft);
}

function freeName(
  { store }: Pick<KubernetesState, "store">,
  set: KubeObject,
): string {
  const name = `${set.metadata.name}-${suffix()}`;
  // Among hundreds of pods two would be given the same name now and then.
  const isTaken = store.find(kinds.pods, { ...placeOf(set), name });
  return isTaken ? freeName({ store }, set) : name;
}

/** Pods by what manages them. */
type OwnedPods = ReadonlyMap<string | undefined, readonly KubeObject[]>;

/** Pods of an owner that count. */
function podsOf(owned: OwnedPods, set: KubeObject): readonly KubeObject[] {
  const pods = owned.get(set.metadata.uid) ?? [];
  return pods.filter((pod) => !isTerminating(pod) && !isFinished(pod));
}

function setStatus(
  { store }: Pick<KubernetesState, "store">,
  kind: typeof kinds.daemonsets | typeof kinds.deployments,
  object: KubeObject,
  status: ObjectFields,
): void {
  if (JSON.stringify(status) === JSON.stringify(object.status)) return;
  store.replace(kind, { ...object, status });
}

function placeOf({ metadata }: KubeObject): { readonly namespace: string } {
  return { namespace: metadata.namespace ?? "default" };
}

/** Five letters and digits, as names that are made have them. */
function suffix(): string {
  return crypto.randomUUID().slice(0, 5);
}

function podSpec(name: string, image: string): ObjectFields {
  return { containers: [{ name, image }] };
}
