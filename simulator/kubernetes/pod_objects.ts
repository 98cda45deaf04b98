/** Pods of the simulated Kubernetes: what they look like, and what state they are in. */

import {
  isReady,
  type KubeObject,
  type ObjectDraft,
  type ObjectFields,
  type OwnerReference,
  readFields,
  readList,
} from "../state/kubernetes_objects.ts";

/** Annotation by which the API server shows what a kubelet runs by itself. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";

/** Whether a kubelet runs a pod by itself. */
export function isMirror({ metadata: { annotations } }: KubeObject): boolean {
  return annotations?.[mirrorAnnotation] !== undefined;
}

/** A pod that does not run yet. */
export function podDraft(
  { owner, nodeName, spec, annotations, ...metadata }: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly owner: OwnerReference;
    /** Node it is bound to; omitted, one is looked for. */
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

/** The owner of what an object manages. */
export function toOwner(
  { apiVersion, kind, metadata }: KubeObject,
): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true };
}

/** Identity of what manages an object; `undefined` for nothing. */
export function findController(
  { metadata: { ownerReferences } }: KubeObject,
): string | undefined {
  return ownerReferences?.find(({ controller }) => controller)?.uid;
}

/** Name of the node a pod is bound to; empty while none was found. */
export function readNodeName({ spec }: KubeObject): string {
  const { nodeName } = readFields(spec);
  return typeof nodeName === "string" ? nodeName : "";
}

/** `Pending`, `Running`, `Succeeded` or `Failed`. */
export function readPhase({ status }: KubeObject): string {
  return String(readFields(status).phase ?? "Pending");
}

/** Whether a pod has come to its end. */
export function isFinished(pod: KubeObject): boolean {
  return readPhase(pod) === "Succeeded" || readPhase(pod) === "Failed";
}

/** Whether a pod is being deleted. */
export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether a pod is ready, which is what disruption budgets count. */
export function isHealthy(pod: KubeObject): boolean {
  return readPhase(pod) === "Running" && !isTerminating(pod) && isReady(pod);
}

/** A pod that runs on `node`; it is ready while its node is. */
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
      ...hostIP === undefined ? {} : { hostIP },
      containerStatuses,
    },
  };
}
