/** Paths of the API, and what they do. */

import { apiError, badRequest, notFound } from "./api_error.ts";
import { budgetStatus, deletePod, evictPod } from "./eviction.ts";
import {
  type ApiAnswer,
  type ApiRequest,
  apiVersionOf,
  fieldsOf,
  kinds,
  type KubeObject,
  type ObjectDraft,
  type ObjectFields,
  type ObjectKind,
} from "./objects.ts";
import { fieldSelector, labelSelector } from "./selectors.ts";
import type { KubernetesState } from "./store.ts";

/** What a path means. */
interface RequestTarget {
  readonly kind: ObjectKind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly part: string | undefined;
}

/** Answers a request for objects. Throws the ApiError that the server answers instead. */
export function answerRequest(
  state: KubernetesState,
  { method, path, body }: ApiRequest,
): ApiAnswer {
  const { pathname, searchParams } = new URL(path, "https://kubernetes");
  const target = targetOf(pathname);
  if (target.part !== undefined) {
    return answerSubresource(state, target, method, body);
  }
  if (target.name !== undefined) {
    return answerObject(state, target, method, body);
  }
  if (method === "POST") return create(state, target, body);
  if (method === "GET") return list(state, target, searchParams);
  throw apiError("methodNotAllowed");
}

function targetOf(pathname: string): RequestTarget {
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
    apiVersion: apiVersionOf(kind),
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
  const draft = draftOf(body, namespace);
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
  method: string,
  body: unknown,
): ApiAnswer {
  const { store } = state;
  const object = store.get(kind, { namespace, name });
  switch (method) {
    case "GET":
      return ok(withBudgetStatus(state, kind, object));
    case "PUT": {
      const draft = draftOf(body, namespace);
      if (draft.metadata.name !== name) {
        throw badRequest(
          `the name of the object (${draft.metadata.name}) does not match the name on the URL (${name})`,
        );
      }
      return ok(store.replace(kind, draft));
    }
    case "PATCH": {
      const merged = mergePatch({ ...object }, fieldsOf(body));
      return ok(store.replace(kind, draftOf(merged, namespace)));
    }
    case "DELETE":
      return ok(remove(state, kind, object, body));
    default:
      throw apiError("methodNotAllowed");
  }
}

function remove(
  state: KubernetesState,
  kind: ObjectKind,
  object: KubeObject,
  options: unknown,
): unknown {
  if (kind === kinds.pods) return deletePod(state, object, options);
  state.store.remove(kind, object.metadata);
  return success;
}

function answerSubresource(
  state: KubernetesState,
  { kind, namespace, name = "", part }: RequestTarget,
  method: string,
  body: unknown,
): ApiAnswer {
  if (kind !== kinds.pods || part !== "eviction") throw apiError("unknownPath");
  if (method !== "POST") throw apiError("methodNotAllowed");
  const pod = state.store.find(kinds.pods, { namespace, name });
  if (pod === undefined) throw notFound(kind, name);
  evictPod(state, pod, body);
  return { code: 201, body: success };
}

/** An object as it is sent: budgets say how they are. */
function withBudgetStatus(
  state: KubernetesState,
  kind: ObjectKind,
  object: KubeObject,
): KubeObject {
  return kind === kinds.poddisruptionbudgets
    ? { ...object, status: { ...budgetStatus(state, object) } }
    : object;
}

function draftOf(body: unknown, namespace: string | undefined): ObjectDraft {
  const { metadata, ...rest }: ObjectFields = fieldsOf(body);
  const { name, ...meta } = fieldsOf(metadata);
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

function ok(body: unknown): ApiAnswer {
  return { code: 200, body };
}

const success = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
};

/** Applies a merge patch. `patch`: fields that replace them; `null` removes one. */
export function mergePatch(
  target: ObjectFields,
  patch: ObjectFields,
): ObjectFields {
  const merged: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = replaced(merged[name], value);
  }
  return merged;
}

function replaced(before: unknown, value: unknown): unknown {
  const isMap = typeof value === "object" && !Array.isArray(value);
  return isMap ? mergePatch(fieldsOf(before), fieldsOf(value)) : value;
}
