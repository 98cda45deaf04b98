/** What runs in every cluster: the static pods of control planes, pods on every node, and the name servers. */

import {
  staticPodImage,
  staticPods,
} from "../resources/contents/kubernetes.ts";
import { imagePrefix } from "../../dialect.ts";
import type { SimulatedNode } from "../node/node.ts";
import {
  fieldsOf,
  kinds,
  type KubeObject,
  type ObjectDraft,
  type ObjectFields,
} from "./objects.ts";
import {
  isFinished,
  isHealthy,
  isOwned,
  isTerminating,
  mirrorAnnotation,
  ownerOf,
  podDraft,
} from "./pod_objects.ts";
import { hasKubelet } from "./availability.ts";
import type { KubernetesState } from "./store.ts";
import { controlPlaneRole } from "./node_objects.ts";

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
  const images = {
    "kube-flannel": `${imagePrefix}/flannel:v0.27.4`,
    "kube-proxy": proxy,
  };
  for (const [name, image] of Object.entries(images)) {
    store.create(kinds.daemonsets, daemonSet(name, image));
  }
  store.create(kinds.deployments, nameServers);
}

/** Brings pods to the number their owners want. */
export function reconcileWorkloads(state: KubernetesState): void {
  const { store, cluster } = state;
  cluster.nodes.filter(hasKubelet).forEach((node) =>
    createMirrorPods(state, node)
  );
  for (const set of store.list(kinds.daemonsets)) {
    reconcileDaemonSet(state, set);
  }
  for (const deployment of store.list(kinds.deployments)) {
    reconcileDeployment(state, deployment);
  }
  for (const set of store.list(kinds.replicasets)) {
    reconcileReplicaSet(state, set);
  }
}

/** What the kubelet of a control plane runs by itself. */
function createMirrorPods(
  { store }: KubernetesState,
  node: SimulatedNode,
): void {
  const { hostname, machineType } = node.identity;
  if (machineType !== "controlplane") return;
  const owner = store.find(kinds.nodes, { name: hostname });
  for (const id of owner === undefined ? [] : staticPods) {
    const name = `${id}-${hostname}`;
    if (store.find(kinds.pods, { namespace, name })) continue;
    const draft = podDraft({
      namespace,
      name,
      labels: { "k8s-app": id, component: id, tier: "control-plane" },
      annotations: {
        "kubernetes.io/config.source": "file",
        [mirrorAnnotation]: crypto.randomUUID().replaceAll("-", ""),
      },
      owner: ownerOf(owner!), // there is nothing to make without it
      nodeName: hostname,
      spec: podSpec(id, staticPodImage(node, id)),
    });
    store.create(kinds.pods, draft);
  }
}

/** One pod on each node, also on those that are closed. */
function reconcileDaemonSet({ store }: KubernetesState, set: KubeObject): void {
  const pods = podsOf(store.list(kinds.pods), set);
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
  const ready = podsOf(store.list(kinds.pods), set).filter(isHealthy).length;
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
): void {
  const wanted = Number(fieldsOf(set.spec).replicas ?? 1);
  const pods = podsOf(store.list(kinds.pods), set);
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

/** Pods of an owner that count. */
function podsOf(
  pods: readonly KubeObject[],
  set: KubeObject,
): readonly KubeObject[] {
  return pods.filter((pod) =>
    isOwned(pod, set) && !isTerminating(pod) && !isFinished(pod)
  );
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

function daemonSet(name: string, image: string): ObjectDraft {
  const labels = { "k8s-app": name };
  return {
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(name, image) },
    },
  };
}

function podSpec(name: string, image: string): ObjectFields {
  return { containers: [{ name, image }] };
}

const dnsLabels = { "k8s-app": "kube-dns" };

const nameServers: ObjectDraft = {
  metadata: { name: "coredns", namespace, labels: dnsLabels },
  spec: {
    replicas: 2,
    selector: { matchLabels: dnsLabels },
    template: {
      metadata: { labels: dnsLabels },
      spec: {
        ...podSpec("coredns", "registry.k8s.io/coredns/coredns:v1.13.2"),
        tolerations: [{ key: controlPlaneRole, operator: "Exists" }],
      },
    },
  },
};
