/** Resources of one node: the store behind `cosi.resource.State`. */

import type { Clock } from "../clock/clock.ts";
import { createHistory, type HistoryBuffer } from "../wire/history_buffer.ts";

/** Number of changes kept for resuming watches. */
const kept = 1000;

/** Key of a resource. */
export interface ResourceKey {
  /** Namespace: `runtime`. */
  readonly namespace: string;
  /** Full type: `Services.v1alpha1.` and the node's domain. */
  readonly type: string;
  /** Name within namespace and type. */
  readonly id: string;
}

/** Content of a resource. */
export interface ResourceContent {
  /** Plain data; a string if the node shows text. */
  readonly spec: unknown;
  /** Controller that owns it; default empty. */
  readonly owner?: string;
  /** Default none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Default none. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** One resource; never changed in place. */
export interface StoredResource extends ResourceKey, ResourceContent {
  readonly version: number;
  /** Creation time in milliseconds since 1970. */
  readonly created: number;
  /** Last update in milliseconds since 1970. */
  readonly updated: number;
}

/** A change of a resource. */
export type StoredResourceChange =
  | { readonly kind: "created"; readonly resource: StoredResource }
  | { readonly kind: "destroyed"; readonly resource: StoredResource }
  | {
    readonly kind: "updated";
    readonly resource: StoredResource;
    readonly old: StoredResource;
  };

/** The store. */
export interface NodeResources {
  readonly get: (key: ResourceKey) => StoredResource | undefined;
  /** All of a kind, sorted by id. */
  readonly list: (kind: Omit<ResourceKey, "id">) => readonly StoredResource[];
  /** Creates a resource, or updates it if its spec is another object. */
  readonly put: (key: ResourceKey, content: ResourceContent) => void;
  /** Removes a resource, if there is one. */
  readonly remove: (key: ResourceKey) => void;
  /** Changes of all kinds, in order. */
  readonly changes: HistoryBuffer<StoredResourceChange>;
}

/** Makes an empty store. */
export function createResources(clock: Clock): NodeResources {
  const kinds = new Map<string, Map<string, Map<string, StoredResource>>>();
  const changes = createHistory<StoredResourceChange>(kept);
  const formatKind = (key: Omit<ResourceKey, "id">) =>
    kinds.get(key.namespace)?.get(key.type);
  return {
    changes,
    get: (key) => formatKind(key)?.get(key.id),
    list: (kind) =>
      [...formatKind(kind)?.values() ?? []].sort((a, b) =>
        a.id < b.id ? -1 : 1
      ),
    put({ namespace, type, id }, content) {
      const old = formatKind({ namespace, type })?.get(id);
      if (old?.spec === content.spec) return;
      const now = clock.now();
      const version = (old?.version ?? 0) + 1;
      const created = old?.created ?? now;
      const key = { namespace, type, id };
      const resource = { ...content, ...key, version, created, updated: now };
      const types = kinds.get(namespace) ?? new Map();
      const resources = types.get(type) ?? new Map();
      kinds.set(namespace, types.set(type, resources.set(id, resource)));
      changes.append(
        old
          ? { kind: "updated", resource, old }
          : { kind: "created", resource },
      );
    },
    remove(key) {
      const resource = formatKind(key)?.get(key.id);
      if (!resource) return;
      formatKind(key)?.delete(key.id);
      changes.append({ kind: "destroyed", resource });
    },
  };
}
