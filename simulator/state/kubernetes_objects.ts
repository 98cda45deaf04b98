/** Objects of the simulated Kubernetes, and which kinds of them there are. */

/** Fields by name; nothing is checked. */
export type ObjectFields = Readonly<Record<string, unknown>>;

interface ObjectMeta {
  readonly name: string;
  /** Namespace; absent where the kind has none. */
  readonly namespace?: string;
  /** Identity; a later object of the same name has another. */
  readonly uid: string;
  /** Changes with every change of the object. */
  readonly resourceVersion: string;
  /** When it was made, ISO 8601 in seconds. */
  readonly creationTimestamp: string;
  /** When it will be gone, ISO 8601 in seconds; absent while it is not being deleted. */
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Who made an object. */
export interface OwnerReference {
  /** `apps/v1`. */
  readonly apiVersion: string;
  /** `ReplicaSet`. */
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** True for the one that manages it. */
  readonly controller: boolean;
}

/** One object. */
export interface KubeObject {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** `Pod`. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ObjectFields;
  readonly status?: ObjectFields;
}

/** An object before it is stored; what is omitted is filled in. */
export interface ObjectDraft {
  readonly metadata: Partial<ObjectMeta> & Pick<ObjectMeta, "name">;
  readonly spec?: ObjectFields;
  readonly status?: ObjectFields;
}

/** A request to an API server. */
export interface ApiRequest {
  /** `GET`. */
  readonly method: string;
  readonly path: string;
  /** JSON that was sent; `undefined` for nothing. */
  readonly body?: unknown;
  /** What kind of patch it is, as the header `Content-Type` says; default a merge patch. */
  readonly contentType?: string;
}

/** What an API server answers. */
export interface ApiAnswer {
  readonly code: number;
  readonly body: unknown;
}

/** An API that answers requests of an administrator. */
export interface KubernetesRequests {
  readonly request: (request: ApiRequest) => ApiAnswer;
  /** Lets everything happen that is due by now. */
  readonly reconcile: () => void;
  /** Pods on a node that have not finished, without those that its kubelet runs by itself. `node`: its host name. */
  readonly podsOn: (node: string) => readonly KubeObject[];
}

/** A kind of objects. */
export interface ObjectKind {
  /** Name in paths: `pods`. */
  readonly plural: string;
  /** Name in objects: `Pod`. */
  readonly kind: string;
  /** API group; empty for the first one. */
  readonly group: string;
  /** Whether its objects are in namespaces. */
  readonly namespaced: boolean;
}

const rbac = "rbac.authorization.k8s.io";

/** All kinds, by their name in paths. */
export const kinds = {
  namespaces: findKind("namespaces", "Namespace", "", false),
  nodes: findKind("nodes", "Node", "", false),
  pods: findKind("pods", "Pod", "", true),
  daemonsets: findKind("daemonsets", "DaemonSet", "apps", true),
  deployments: findKind("deployments", "Deployment", "apps", true),
  replicasets: findKind("replicasets", "ReplicaSet", "apps", true),
  poddisruptionbudgets: findKind(
    "poddisruptionbudgets",
    "PodDisruptionBudget",
    "policy",
    true,
  ),
  services: findKind("services", "Service", "", true),
  serviceaccounts: findKind("serviceaccounts", "ServiceAccount", "", true),
  configmaps: findKind("configmaps", "ConfigMap", "", true),
  secrets: findKind("secrets", "Secret", "", true),
  events: findKind("events", "Event", "", true),
  roles: findKind("roles", "Role", rbac, true),
  rolebindings: findKind("rolebindings", "RoleBinding", rbac, true),
  clusterroles: findKind("clusterroles", "ClusterRole", rbac, false),
  clusterrolebindings: findKind(
    "clusterrolebindings",
    "ClusterRoleBinding",
    rbac,
    false,
  ),
  leases: findKind("leases", "Lease", "coordination.k8s.io", true),
} as const;

const rollingUpdate = "RollingUpdate";

/** What the API server adds to specs that do not say it. */
const defaults: ReadonlyMap<ObjectKind, ObjectFields> = new Map([
  [kinds.daemonsets, {
    updateStrategy: {
      type: rollingUpdate,
      rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
    },
  }],
  [kinds.deployments, {
    replicas: 1,
    strategy: {
      type: rollingUpdate,
      rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" },
    },
  }],
  [kinds.replicasets, { replicas: 1 }],
]);

/** Completes the spec of an object, as the API server stores it. */
export function withDefaults(
  kind: ObjectKind,
  draft: ObjectDraft,
): ObjectDraft {
  const added = defaults.get(kind);
  return added === undefined
    ? draft
    : { ...draft, spec: { ...added, ...draft.spec } };
}

/** Version of an object's format: `v1`, `apps/v1`. */
export function formatApiVersion({ group }: ObjectKind): string {
  return group === "" ? "v1" : `${group}/v1`;
}

/** Name of a kind as messages spell it: `leases.coordination.k8s.io`. */
export function qualifiedKind({ plural, group }: ObjectKind): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** Reads a list of objects; anything else has none. */
export function readList(value: unknown): readonly ObjectFields[] {
  return Array.isArray(value) ? value.map(readFields) : [];
}

/** Fields of any value; none of one that has none. */
export function readFields(value: unknown): ObjectFields {
  return typeof value === "object" && value !== null
    // Any object has fields by name.
    ? value as ObjectFields
    : {};
}

function findKind(
  plural: string,
  kind: string,
  group: string,
  namespaced: boolean,
): ObjectKind {
  return { plural, kind, group, namespaced };
}

/** Conditions in the status of an object. */
export function readConditions(
  { status }: KubeObject,
): readonly ObjectFields[] {
  return readList(status?.conditions);
}

/** Whether a node or a pod reports that it is ready. */
export function isReady(object: KubeObject): boolean {
  const conditions = object.status?.conditions;
  return Array.isArray(conditions) &&
    conditions.some((one) => one?.type === "Ready" && one.status === "True");
}
