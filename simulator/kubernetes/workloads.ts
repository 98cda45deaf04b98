/** Workloads of every cluster: static pods, and the bootstrap manifests of control planes. */

import { createHash } from "node:crypto";
import { readSettings } from "../state/node_settings.ts";
import { podName, podNamespace } from "../node/contents/settings.ts";
import { manifestObjects } from "../node/contents/manifests.ts";
import { staticPodImage, staticPods } from "../node/contents/kubernetes.ts";
import { domain } from "../../talos.ts";
import type { SimulatedNode } from "../state/node.ts";
import {
  kinds,
  type KubeObject,
  type ObjectFields,
  readFields,
} from "../state/kubernetes_objects.ts";
import {
  mirrorAnnotation,
  podDraft,
  readNodeName,
  toOwner,
} from "./pod_objects.ts";
import { hasKubelet } from "./availability.ts";
import { reconcileRollouts } from "./rollouts.ts";
import type { KubernetesState } from "./store.ts";

const namespace = "kube-system";

/** Creates the objects of a new cluster. */
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
    const { apiVersion: _, kind: name, ...draft } of manifestObjects(
      proxy,
      cluster.release.tag,
    )
  ) {
    const kind = Object.values(kinds).find(({ kind }) => kind === name);
    if (kind !== undefined) store.create(kind, draft);
  }
}

/** Reconciles pods with the replicas of their owners. */
export function reconcileWorkloads(state: KubernetesState): void {
  const { store, cluster } = state;
  const configured = Map.groupBy(
    store.list(kinds.pods).filter(isConfigured),
    readNodeName,
  );
  for (const node of cluster.nodes.filter(hasKubelet)) {
    createMirrorPods(state, node, configured.get(node.identity.hostname) ?? []);
  }
  reconcileRollouts(state);
}

/** Creates the mirror pods of a node; pods whose configuration changed are restarted. */
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

/** Mirrors the static pods of a node's configuration, and removes those of `configured` that were deleted from it. */
function mirrorConfigured(
  { store }: KubernetesState,
  node: SimulatedNode,
  owner: KubeObject,
  configured: readonly KubeObject[],
): void {
  const { hostname } = node.identity;
  const wanted = new Set<string>();
  for (const pod of readSettings(node).pods) {
    const place = {
      namespace: podNamespace(pod),
      name: `${podName(pod)}-${hostname}`,
    };
    wanted.add(`${place.namespace}/${place.name}`);
    const hash = hashText(JSON.stringify(pod));
    const running = store.find(kinds.pods, place);
    if (running?.metadata.annotations?.[hashAnnotation] === hash) continue;
    if (running !== undefined) store.remove(kinds.pods, running.metadata);
    const { labels, annotations } = readFields(pod.metadata);
    store.create(
      kinds.pods,
      podDraft({
        ...place,
        // As in configurations; an API server would validate them.
        labels: readFields(labels) as Readonly<Record<string, string>>,
        annotations: {
          ...readFields(annotations),
          [hashAnnotation]: hash,
          [mirrorAnnotation]: hash,
          [sourceAnnotation]: configuredSource,
        },
        owner: toOwner(owner),
        nodeName: hostname,
        spec: readFields(pod.spec),
      }),
    );
  }
  for (const { metadata } of configured) {
    const { namespace, name } = metadata;
    if (!wanted.has(`${namespace}/${name}`)) store.remove(kinds.pods, metadata);
  }
}

/** True if a pod is a static pod from a node's configuration. */
function isConfigured({ metadata: { annotations } }: KubeObject): boolean {
  return annotations?.[sourceAnnotation] === configuredSource;
}

const sourceAnnotation = "kubernetes.io/config.source";
const configuredSource = "http";
const hashAnnotation = "kubernetes.io/config.hash";

/** Hash of a text: 32 hexadecimal digits. */
function hashText(text: string): string {
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
      owner: toOwner(owner),
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

function podSpec(name: string, image: string): ObjectFields {
  return { containers: [{ name, image }] };
}
