/** Object store of the simulated Kubernetes. */

import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../clock/clock.ts";
import type { SimulatedCluster } from "../state/node.ts";
import { alreadyExists, conflict, notFound } from "./api_error.ts";
import {
  formatApiVersion,
  type KubeObject,
  type ObjectDraft,
  type ObjectFields,
  type ObjectKind,
  withDefaults,
} from "../state/kubernetes_objects.ts";

interface ObjectName {
  readonly name: string;
  /** Omitted for cluster-scoped kinds. */
  readonly namespace?: string | undefined;
}

/** Object store. */
export interface ObjectStore {
  /** Lists objects of a kind, in all namespaces or in one, sorted by name. */
  readonly list: (
    kind: ObjectKind,
    namespace?: string,
  ) => readonly KubeObject[];
  /** Finds an object; `undefined` if there is none. */
  readonly find: (
    kind: ObjectKind,
    place: ObjectName,
  ) => KubeObject | undefined;
  /** Gets an object. Throws ApiError if there is none. */
  readonly get: (kind: ObjectKind, place: ObjectName) => KubeObject;
  /** Creates an object. Throws ApiError if its name exists. */
  readonly create: (kind: ObjectKind, draft: ObjectDraft) => KubeObject;
  /**
   * Replaces an object; its UID and creation time stay the same. Throws `ApiError` if there is none or
   * its resource version differs from that of the new one.
   */
  readonly replace: (kind: ObjectKind, draft: ObjectDraft) => KubeObject;
  /** Removes an object, if it is there. */
  readonly remove: (kind: ObjectKind, place: ObjectName) => void;
  /** Version of the newest change. */
  readonly version: () => string;
  readonly changes: () => number;
}

/** Makes an empty store. */
export function createStore(clock: Pick<Clock, "now">): ObjectStore {
  const byKind = new Map<ObjectKind, Map<string, KubeObject>>();
  let version = 1;
  let changes = 0;

  function of(kind: ObjectKind): Map<string, KubeObject> {
    const known = byKind.get(kind) ?? new Map<string, KubeObject>();
    byKind.set(kind, known);
    return known;
  }

  function put(
    kind: ObjectKind,
    draft: ObjectDraft,
    before?: KubeObject,
  ): KubeObject {
    const { metadata, ...rest } = withDefaults(kind, draft);
    const object: KubeObject = {
      ...rest,
      apiVersion: formatApiVersion(kind),
      kind: kind.kind,
      metadata: {
        ...metadata,
        uid: before?.metadata.uid ?? crypto.randomUUID(),
        creationTimestamp: before?.metadata.creationTimestamp ??
          timestamp(clock.now()),
        resourceVersion: String(++version),
        ...kind.group === "apps" &&
          { generation: nextGeneration(rest.spec, before) },
      },
    };
    of(kind).set(formatKey(metadata), object);
    changes++;
    return object;
  }

  const find = (kind: ObjectKind, place: ObjectName) =>
    of(kind).get(formatKey(place));

  function get(kind: ObjectKind, place: ObjectName): KubeObject {
    const object = find(kind, place);
    if (object === undefined) throw notFound(kind, place.name);
    return object;
  }

  return {
    find,
    get,
    list: (kind, namespace) =>
      namespace === undefined
        ? [...of(kind).values()]
        : [...of(kind).values()].filter(({ metadata }) =>
          metadata.namespace === namespace
        ),
    create(kind, draft) {
      const { metadata } = draft;
      if (find(kind, metadata)) throw alreadyExists(kind, metadata.name);
      return put(kind, draft);
    },
    replace(kind, draft) {
      const { metadata } = draft;
      const before = get(kind, metadata);
      const { resourceVersion = before.metadata.resourceVersion } = metadata;
      if (resourceVersion !== before.metadata.resourceVersion) {
        throw conflict(kind, metadata.name, modified);
      }
      return put(kind, draft, before);
    },
    remove(kind, place) {
      if (of(kind).delete(formatKey(place))) changes++;
    },
    version: () => String(version),
    changes: () => changes,
  };
}

/** Counts changes of the wanted state, by which a status is seen to be stale. */
function nextGeneration(
  spec: unknown,
  before: KubeObject | undefined,
): number {
  const { generation = 0 } = before?.metadata ?? {};
  const isSame = generation > 0 && isDeepStrictEqual(spec, before?.spec);
  return isSame ? generation : generation + 1;
}

const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

/** Formats a time as in objects: ISO 8601 in seconds. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, "");
}

function formatKey({ namespace, name }: ObjectName): string {
  // A name has no slash.
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** State of the simulated Kubernetes of a cluster. */
export interface KubernetesState {
  readonly cluster: SimulatedCluster;
  readonly clock: Pick<Clock, "now">;
  readonly store: ObjectStore;
  /** Time at which scheduled pods run and deleted pods are removed, by UID; milliseconds since 1970. */
  readonly due: Map<string, number>;
  /** Latest configuration of server-side apply, by UID and field manager: `UID/talos`. */
  readonly applied: Map<string, ObjectFields>;
}
