/** Kubernetes nodes: schedulability and pods. */

import {
  type Kubernetes,
  type KubernetesObject,
  readFields,
} from "./client.ts";

/** Annotation with the owner of a cordon; only our own cordons are removed. */
export const cordonedBy = "osctl.dev/cordoned-by";

/** A node as Kubernetes has it. */
export interface KubernetesNode {
  readonly name: string;
  readonly unschedulable: boolean;
  /** Owner of the cordon; `undefined` when that is not osctl. */
  readonly cordonedBy: string | undefined;
  readonly ready: boolean;
  /** Keys of taints that reserve it for some pods, as on control planes. */
  readonly reserved: readonly string[];
  /** Addresses reported by its kubelet. */
  readonly addresses: readonly string[];
  /** Operating system reported by its kubelet; empty before that. */
  readonly system: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A pod on a node. */
export interface Pod {
  readonly namespace: string;
  readonly name: string;
  /** Unique id; a later pod of the same name has another. */
  readonly uid: string;
  /** Reason it is not evicted: `daemonset`, `static`, `finished`; otherwise `movable` or `unmanaged`. */
  readonly kind: "daemonset" | "static" | "finished" | "movable" | "unmanaged";
  readonly hasLocalData: boolean;
  /** Keys of tolerated taints; an empty key tolerates all. */
  readonly tolerates: readonly string[];
}

/** Reads a node. Throws `KubernetesError` with code 404 if it does not exist. */
export async function readNode(
  kubernetes: Kubernetes,
  name: string,
  signal: AbortSignal,
): Promise<KubernetesNode> {
  return toNode(await kubernetes.request(nodePath(name), { signal }));
}

/** Reads all nodes. */
export async function listNodes(
  kubernetes: Kubernetes,
  signal: AbortSignal,
): Promise<readonly KubernetesNode[]> {
  const list = await kubernetes.request("/api/v1/nodes", { signal });
  return readItems(list).map(toNode);
}

/** Cordons or uncordons a node. `owner`: owner of the cordon; `undefined` to uncordon. */
export async function setCordon(
  kubernetes: Kubernetes,
  name: string,
  owner: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const body = {
    metadata: { annotations: { [cordonedBy]: owner ?? null } },
    spec: { unschedulable: owner === undefined ? null : true },
  };
  await kubernetes.request(nodePath(name), { method: "PATCH", body, signal });
}

/** Reads the pods of a node. */
export async function podsOn(
  kubernetes: Kubernetes,
  name: string,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const selector = encodeURIComponent(`spec.nodeName=${name}`);
  const path = `/api/v1/pods?fieldSelector=${selector}`;
  return readItems(await kubernetes.request(path, { signal })).map(toPod);
}

/** Deletes a finished pod. */
export async function deletePod(
  kubernetes: Kubernetes,
  pod: Pod,
  signal: AbortSignal,
): Promise<void> {
  await kubernetes.request(podPath(pod), {
    method: "DELETE",
    signal,
    body: { preconditions: { uid: pod.uid } },
  });
}

/**
 * Evicts a pod; disruption budgets may refuse.
 *
 * @throws {KubernetesError} With code 429 while a budget refuses, 404 when the pod is gone.
 */
export async function evict(
  kubernetes: Kubernetes,
  pod: Pod,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, uid } = pod;
  await kubernetes.request(`${podPath(pod)}/eviction`, {
    method: "POST",
    signal,
    body: {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { namespace, name },
      // Never evict another pod that has taken the name.
      deleteOptions: { preconditions: { uid } },
    },
  });
}

function nodePath(name: string): string {
  return `/api/v1/nodes/${encodeURIComponent(name)}`;
}

function podPath({ namespace, name }: Pod): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

function readItems({ items }: KubernetesObject): readonly KubernetesObject[] {
  return Array.isArray(items) ? items : [];
}

function toNode(object: KubernetesObject): KubernetesNode {
  const { metadata } = object;
  const { unschedulable, taints } = readFields(object.spec);
  const { conditions, addresses, nodeInfo } = readFields(object.status);
  return {
    name: metadata?.name ?? "",
    unschedulable: unschedulable === true,
    cordonedBy: metadata?.annotations?.[cordonedBy],
    ready: readList(conditions).some(({ type, status }) =>
      type === "Ready" && status === "True"
    ),
    // Taints of Kubernetes itself follow the state of the node.
    reserved: readList(taints).filter(({ key, effect }) =>
      effect !== "PreferNoSchedule" &&
      !String(key).startsWith("node.kubernetes.io/")
    ).map(({ key }) => String(key)),
    addresses: readList(addresses).map(({ address }) => String(address)),
    system: String(readFields(nodeInfo).osImage ?? ""),
    labels: metadata?.labels ?? {},
  };
}

function toPod(object: KubernetesObject): Pod {
  const { namespace = "", name = "", uid = "" } = object.metadata ?? {};
  const { volumes, tolerations } = readFields(object.spec);
  return {
    namespace,
    name,
    uid,
    kind: findKind(object),
    hasLocalData: readList(volumes).some(({ emptyDir }) =>
      emptyDir !== undefined
    ),
    tolerates: readList(tolerations).map(({ key = "" }) => String(key)),
  };
}

function findKind({ metadata, status }: KubernetesObject): Pod["kind"] {
  const { phase } = readFields(status);
  if (metadata?.annotations?.["kubernetes.io/config.mirror"]) return "static";
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
  if (owner?.kind === "DaemonSet") return "daemonset";
  if (phase === "Succeeded" || phase === "Failed") return "finished";
  return owner === undefined ? "unmanaged" : "movable";
}

function readList(value: unknown): readonly ReturnType<typeof readFields>[] {
  return Array.isArray(value) ? value.map(readFields) : [];
}
