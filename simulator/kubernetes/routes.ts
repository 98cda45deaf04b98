import { apiError, badRequest, immutable, notFound } from "./api_error.ts";
import { containerLog, kubernetesContainers } from "../node/containers.ts";
import { budgetStatus, deletePod, evictPod } from "./eviction.ts";
import { mergePatch, withRemovals } from "./merge_patch.ts";
import {
  type ApiAnswer,
  type ApiRequest,
  formatApiVersion,
  kinds,
  type KubeObject,
  type ObjectDraft,
  type ObjectFields,
  type ObjectKind,
  readFields,
  readList,
  withDefaults,
} from "../state/kubernetes_objects.ts";
import { findController, readNodeName, readPhase } from "./pod_objects.ts";
import { testLog } from "./test_runner.ts";
import { fieldSelector, labelSelector } from "./selectors.ts";
import type { KubernetesState } from "./store.ts";

interface RequestTarget {
  readonly kind: ObjectKind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly part: string | undefined;
}

/** Handles a request for objects. Throws ApiError if it fails. */
export function answerRequest(
  state: KubernetesState,
  { method, path, body, contentType = "" }: ApiRequest,
): ApiAnswer {
  const { pathname, searchParams } = new URL(path, "https://kubernetes");
  const target = parseTarget(pathname);
  if (target.part !== undefined) {
    return answerSubresource(state, target, { method, body, searchParams });
  }
  if (target.name !== undefined) {
    const dryRun = searchParams.get("dryRun") === "All";
    const manager = searchParams.get("fieldManager") ?? "";
    return method === "PATCH"
      ? patchObject(state, target, { body, contentType, manager, dryRun })
      : answerObject(state, target, { method, body, dryRun });
  }
  if (method === "POST") return create(state, target, body);
  if (method === "GET") return list(state, target, searchParams);
  throw apiError("methodNotAllowed");
}

function parseTarget(pathname: string): RequestTarget {
  const parts = pathname.split("/").filter((part) => part !== "")
    .map(decodeURIComponent);
  const group = parts[0] === "api" ? "" : parts[1] ?? "";
  const [version, ...rest] = parts.slice(parts[0] === "api" ? 1 : 2);
  const isKnown = parts[0] === "api" || parts[0] === "apis";
  if (!isKnown || version !== "v1") throw apiError("unknownPath");
  const isInside = rest[0] === "namespaces" && rest.length > 2;
  const [plural, name, part] = isInside ? rest.slice(2) : rest;
  const kind = Object.values(kinds).find((one) =>
    one.plural === plural && one.group === group
  );
  if (kind === undefined || (name && kind.namespaced !== isInside)) {
    throw apiError("unknownPath");
  }
  return { kind, namespace: isInside ? rest[1] : undefined, name, part };
}

function list(
  state: KubernetesState,
  { kind, namespace }: RequestTarget,
  query: URLSearchParams,
): ApiAnswer {
  const { store } = state;
  const byLabels = labelSelector(query.get("labelSelector") ?? "");
  const byFields = fieldSelector(query.get("fieldSelector") ?? "");
  const items = store.list(kind, namespace)
    .map((object) => withBudgetStatus(state, kind, object))
    .filter((object) => byLabels(object) && byFields(object));
  return ok({
    kind: `${kind.kind}List`,
    apiVersion: formatApiVersion(kind),
    metadata: { resourceVersion: store.version() },
    items,
  });
}

function create(
  { store }: KubernetesState,
  { kind, namespace }: RequestTarget,
  body: unknown,
): ApiAnswer {
  if (kind.namespaced && namespace === undefined) {
    throw apiError("methodNotAllowed");
  }
  const draft = toDraft(body, namespace);
  if (namespace !== undefined) {
    store.get(kinds.namespaces, { name: namespace });
  }
  const isPod = kind === kinds.pods;
  const status = isPod ? { status: { phase: "Pending", ...draft.status } } : {};
  return { code: 201, body: store.create(kind, { ...draft, ...status }) };
}

function answerObject(
  state: KubernetesState,
  { kind, namespace, name = "" }: RequestTarget,
  { method, body, dryRun }: {
    readonly method: string;
    readonly body: unknown;
    /** True to return the result without persisting it. */
    readonly dryRun: boolean;
  },
): ApiAnswer {
  const { store } = state;
  const object = store.get(kind, { namespace, name });
  switch (method) {
    case "GET":
      return ok(withBudgetStatus(state, kind, object));
    case "PUT": {
      const draft = withDefaults(kind, toDraft(body, namespace));
      if (draft.metadata.name !== name) {
        throw badRequest(
          `the name of the object (${draft.metadata.name}) does not match the name on the URL (${name})`,
        );
      }
      refuseImmutable(kind, object, draft);
      // An update does not know the current status of the object.
      const replaced = { status: object.status ?? {}, ...draft };
      return ok(
        dryRun ? { ...object, ...draft } : store.replace(kind, replaced),
      );
    }
    case "DELETE":
      return ok(remove(state, kind, object, body));
    default:
      throw apiError("methodNotAllowed");
  }
}

/** Applies a merge patch, a strategic merge patch, or server-side apply, which may create the object. */
function patchObject(
  state: KubernetesState,
  { kind, namespace, name = "" }: RequestTarget,
  { body, contentType, manager, dryRun }: {
    readonly body: unknown;
    readonly contentType: string;
    /** Owner of the fields in server-side apply. */
    readonly manager: string;
    /** True to return the result without persisting it. */
    readonly dryRun: boolean;
  },
): ApiAnswer {
  if (/json-patch/.test(contentType)) throw apiError("unsupportedMedia");
  const { store } = state;
  const applies = /apply-patch/.test(contentType);
  const remember = ({ metadata: { uid } }: KubeObject) =>
    applies && state.applied.set(`${uid}/${manager}`, readFields(body));
  if (applies && store.find(kind, { namespace, name }) === undefined) {
    const draft = toDraft(body, namespace);
    if (dryRun) return { code: 201, body: draft };
    const created = store.create(kind, draft);
    remember(created);
    return { code: 201, body: created };
  }
  const object = store.get(kind, { namespace, name });
  const byName = applies || /strategic/.test(contentType);
  const before = state.applied.get(`${object.metadata.uid}/${manager}`);
  const patch = applies && before !== undefined
    ? withRemovals(before, readFields(body))
    : readFields(body);
  const merged = mergePatch({ ...object }, patch, byName);
  refuseImmutable(kind, object, merged);
  const after = dryRun
    ? { ...object, ...merged }
    : store.replace(kind, toDraft(merged, namespace));
  if (!dryRun) remember(object);
  return ok(withBudgetStatus(state, kind, after));
}

/** Refuses another selector of a workload, as Kubernetes does. */
function refuseImmutable(
  kind: ObjectKind,
  { metadata: { name }, spec }: KubeObject,
  draft: { readonly spec?: unknown },
): void {
  if (kind.group !== "apps") return;
  const [before, after] = [spec, draft.spec].map((one) =>
    readFields(one).selector
  );
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  throw immutable(kind, name, ["spec.selector", after]);
}

function remove(
  state: KubernetesState,
  kind: ObjectKind,
  object: KubeObject,
  options: unknown,
): unknown {
  if (kind === kinds.pods) return deletePod(state, object, options);
  if (kind === kinds.namespaces) removeInside(state, object.metadata.name);
  state.store.remove(kind, object.metadata);
  removeOwned(state, object);
  return success;
}

/** Removes the objects in a namespace without waiting for kubelets. */
function removeInside({ store, due }: KubernetesState, name: string): void {
  for (const kind of Object.values(kinds)) {
    if (!kind.namespaced) continue;
    for (const { metadata } of store.list(kind, name)) {
      due.delete(metadata.uid);
      store.remove(kind, metadata);
    }
  }
}

function removeOwned(state: KubernetesState, owner: KubeObject): void {
  const { store } = state;
  for (const set of store.list(kinds.replicasets)) {
    if (findController(set) !== owner.metadata.uid) continue;
    store.remove(kinds.replicasets, set.metadata);
    removeOwned(state, set);
  }
  for (const pod of store.list(kinds.pods)) {
    if (findController(pod) === owner.metadata.uid) deletePod(state, pod, {});
  }
}

function answerSubresource(
  state: KubernetesState,
  { kind, namespace, name = "", part }: RequestTarget,
  { method, body, searchParams }: {
    readonly method: string;
    readonly body: unknown;
    readonly searchParams: URLSearchParams;
  },
): ApiAnswer {
  if (kind !== kinds.pods) throw apiError("unknownPath");
  if (part === "log" && method === "GET") {
    const pod = state.store.get(kinds.pods, { namespace, name });
    return ok(readLog(state, pod, searchParams));
  }
  if (part !== "eviction") throw apiError("unknownPath");
  if (method !== "POST") throw apiError("methodNotAllowed");
  const pod = state.store.find(kinds.pods, { namespace, name });
  if (pod === undefined) throw notFound(kind, name);
  evictPod(state, pod, body);
  return { code: 201, body: success };
}

/** An object as it is returned: budgets get their status. */
function withBudgetStatus(
  state: KubernetesState,
  kind: ObjectKind,
  object: KubeObject,
): KubeObject {
  return kind === kinds.poddisruptionbudgets
    ? { ...object, status: { ...budgetStatus(state, object) } }
    : object;
}

function toDraft(body: unknown, namespace: string | undefined): ObjectDraft {
  const { metadata, ...rest }: ObjectFields = readFields(body);
  const { name, ...meta } = readFields(metadata);
  if (typeof name !== "string" || name === "") {
    throw badRequest("name must be provided");
  }
  return {
    ...rest,
    metadata: {
      ...meta,
      name,
      ...(namespace === undefined ? {} : { namespace }),
    },
  };
}

/** The requested part of a container log; every line has its own time. */
function readLog(
  state: KubernetesState,
  pod: KubeObject,
  query: URLSearchParams,
): string {
  const names = readList(readFields(pod.spec).containers).map(({ name }) =>
    name
  );
  const container = query.get("container") ?? String(names[0]);
  if (!names.includes(container) && query.has("container")) {
    throw badRequest(
      `container ${container} is not valid for pod ${pod.metadata.name}`,
    );
  }
  if (readPhase(pod) === "Pending") {
    throw badRequest(
      `container "${container}" in pod "${pod.metadata.name}" is waiting to start: ContainerCreating`,
    );
  }
  const text = testLog(state, pod, container) ?? podLog(state, pod);
  const count = query.get("tailLines");
  if (query.get("timestamps") !== "true") return lastLines(text, count);
  const [first = ""] = pod.metadata.creationTimestamp.split("Z");
  const timed = text.split("\n").filter((line) => line !== "").map((
    line,
    index,
  ) => `${first}.${String(index).padStart(9, "0")}Z ${line}`);
  return lastLines(timed.map((line) => `${line}\n`).join(""), count);
}

/** Tail of a log. `count`: number of lines; `null` for all. */
export function lastLines(log: string, count: string | null): string {
  if (count === null) return log;
  const lines = log.split("\n").slice(0, -1);
  return lines.slice(Math.max(0, lines.length - Number(count)))
    .map((line) => `${line}\n`).join("");
}

/** Lines of the first container of a pod, without their times. */
function podLog({ cluster }: KubernetesState, pod: KubeObject): string {
  const node = cluster.nodes.find(({ identity }) =>
    identity.hostname === readNodeName(pod)
  );
  const { name, namespace } = pod.metadata;
  const [container] = readList(readFields(pod.spec).containers);
  const found = node && kubernetesContainers(node)
    .find((one) =>
      one.podId === `${namespace}/${name}` && one.name === container?.name
    );
  const log = found && containerLog(node, "k8s.io", found.id);
  if (log === undefined) return "";
  let text = "";
  for (let at = log.first(); at < log.end(); at++) {
    text += `${String(log.at(at)).replace(/^\S+ \S+ \S /, "")}\n`;
  }
  return text;
}

function ok(body: unknown): ApiAnswer {
  return { code: 200, body };
}

const success = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
};
