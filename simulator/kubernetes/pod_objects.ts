/** Pod objects of the simulated Kubernetes and their states. */

import {
  isReady,
  type KubeObject,
  type ObjectDraft,
  type ObjectFields,
  type OwnerReference,
  readFields,
  readList,
} from "../state/kubernetes_objects.ts";

/** Annotation of mirror pods, which represent the static pods of a kubelet. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";

/** True if a pod is the mirror of a static pod. */
export function isMirror({ metadata: { annotations } }: KubeObject): boolean {
  return annotations?.[mirrorAnnotation] !== undefined;
}

/** Makes a pod that is not running yet. */
export function podDraft(
  { owner, nodeName, spec, annotations, ...metadata }: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly owner: OwnerReference;
    /** Node it is bound to; omitted, it is scheduled. */
    readonly nodeName?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly spec?: ObjectFields;
  },
): ObjectDraft {
  return {
    metadata: {
      ...metadata,
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [owner],
    },
    spec: { ...spec, ...(nodeName === undefined ? {} : { nodeName }) },
    status: { phase: "Pending" },
  };
}

/** Makes the owner reference to an object. */
export function toOwner(
  { apiVersion, kind, metadata }: KubeObject,
): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true };
}

/** UID of the controller of an object; `undefined` if there is none. */
export function findController(
  { metadata: { ownerReferences } }: KubeObject,
): string | undefined {
  return ownerReferences?.find(({ controller }) => controller)?.uid;
}

/** Name of the node a pod is bound to; empty if it is not scheduled. */
export function readNodeName({ spec }: KubeObject): string {
  const { nodeName } = readFields(spec);
  return typeof nodeName === "string" ? nodeName : "";
}

/** `Pending`, `Running`, `Succeeded` or `Failed`. */
export function readPhase({ status }: KubeObject): string {
  return String(readFields(status).phase ?? "Pending");
}

/** True if a pod is finished. */
export function isFinished(pod: KubeObject): boolean {
  return readPhase(pod) === "Succeeded" || readPhase(pod) === "Failed";
}

/** True if a pod is being deleted. */
export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** True if a pod is ready and so counts as healthy for disruption budgets. */
export function isHealthy(pod: KubeObject): boolean {
  return readPhase(pod) === "Running" && !isTerminating(pod) && isReady(pod);
}

/** Makes a running pod on `node`; it is ready while its node is. */
export function runningPod(
  pod: KubeObject,
  node: KubeObject | undefined,
): KubeObject {
  const ready = node !== undefined && isReady(node);
  const { address } = readList(readFields(node?.status).addresses)
    .find(({ type }) => type === "InternalIP") ?? {};
  const hostIP = address ?? readFields(pod.status).hostIP;
  const status = ready ? "True" : "False";
  const conditions = [
    { type: "PodScheduled", status: "True" },
    { type: "Initialized", status: "True" },
    { type: "ContainersReady", status },
    { type: "Ready", status },
  ];
  const containerStatuses = readList(readFields(pod.spec).containers).map(
    ({ name, image }) => ({
      name,
      image,
      ready,
      started: true,
      restartCount: 0,
      state: { running: {} },
    }),
  );
  return {
    ...pod,
    status: {
      phase: "Running",
      conditions,
      hostIP,
      containerStatuses,
    },
  };
}
