/** Objects of the simulated Kubernetes, and their kinds. */

/** Fields by name, not validated. */
export type ObjectFields = Readonly<Record<string, unknown>>;

interface ObjectMeta {
  readonly name: string;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  /** Unique; a later object of the same name has another one. */
  readonly uid: string;
  /** Changes with every update of the object. */
  readonly resourceVersion: string;
  /** Number of changes to the specification of a workload. */
  readonly generation?: number;
  /** Creation time, ISO 8601 in seconds. */
  readonly creationTimestamp: string;
  /** Time of its removal, ISO 8601 in seconds; absent unless it is being deleted. */
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Owner of an object. */
export interface OwnerReference {
  /** `apps/v1`. */
  readonly apiVersion: string;
  /** `ReplicaSet`. */
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
}

/** A Kubernetes object. */
export interface KubeObject {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** `Pod`. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ObjectFields;
  readonly status?: ObjectFields;
}

/** An object before it is stored; omitted fields are filled in. */
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
  /** JSON body; `undefined` without one. */
  readonly body?: unknown;
  /** Patch type: the `Content-Type` header; default a merge patch. */
  readonly contentType?: string;
}

/** Response of an API server. */
export interface ApiAnswer {
  readonly code: number;
  readonly body: unknown;
}

/** An API that serves requests with administrator rights. */
export interface KubernetesRequests {
  readonly request: (request: ApiRequest) => ApiAnswer;
  /** Runs everything that is due. */
  readonly reconcile: () => void;
  /** Unfinished pods on a node, without mirror pods. `node`: host name. */
  readonly podsOn: (node: string) => readonly KubeObject[];
}

/** An object kind. */
export interface ObjectKind {
  /** Name in paths: `pods`. */
  readonly plural: string;
  /** Name in objects: `Pod`. */
  readonly kind: string;
  /** API group; empty for the core group. */
  readonly group: string;
  /** True if its objects are namespaced. */
  readonly namespaced: boolean;
}

const rbac = "rbac.authorization.k8s.io";

/** All kinds, by plural name. */
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

/** Defaults that the API server adds to specs. */
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

/** Applies the API server's defaults to an object. */
export function withDefaults(
  kind: ObjectKind,
  draft: ObjectDraft,
): ObjectDraft {
  const added = defaults.get(kind);
  return added === undefined
    ? draft
    : { ...draft, spec: { ...added, ...draft.spec } };
}

/** Formats the API version of a kind: `v1`, `apps/v1`. */
export function formatApiVersion({ group }: ObjectKind): string {
  return group === "" ? "v1" : `${group}/v1`;
}

/** Qualified name of a kind in messages: `leases.coordination.k8s.io`. */
export function qualifiedKind({ plural, group }: ObjectKind): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** Reads a list of objects; empty for any other value. */
export function readList(value: unknown): readonly ObjectFields[] {
  return Array.isArray(value) ? value.map(readFields) : [];
}

/** Fields of a value; empty if it has none. */
export function readFields(value: unknown): ObjectFields {
  return typeof value === "object" && value !== null
    // Any object can be read as fields.
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

/** True if a node or a pod is ready. */
export function isReady(object: KubeObject): boolean {
  const conditions = object.status?.conditions;
  return Array.isArray(conditions) &&
    conditions.some((one) => one?.type === "Ready" && one.status === "True");
}
