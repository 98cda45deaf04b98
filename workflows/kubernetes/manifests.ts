/** Bootstrap manifests of control planes, and their differences from the cluster. */

import { domain } from "../../talos.ts";
import { RefusedError } from "../../errors.ts";
import { pause } from "../../lib/pause.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { readSpecs } from "../../transport/node/read_resource.ts";
import {
  isAway,
  type Kubernetes,
  KubernetesError,
  type KubernetesObject,
  type KubernetesRequest,
  readFields,
} from "./client.ts";
import {
  findReferenced,
  formatDiff,
  formatName,
  formatReference,
  inventoryName,
  locateObject,
  readInventory,
  writeInventory,
} from "./manifest_objects.ts";
import { existing, placeObject } from "./objects.ts";

/** Field manager of nodes and their clients. */
const fieldManager: string = "talos";

/** Annotation with the inventory an object belongs to. */
const owningInventory = "config.k8s.io/owning-inventory";

/** Action on an object; `recreate` deletes it first. */
export type ManifestAction = "create" | "change" | "recreate" | "prune";

/** Which existing objects may be changed: those of the inventory, also those of none, or also those of another. */
export const inventoryPolicies = [
  "AdoptIfNoInventory",
  "MustMatch",
  "AdoptAll",
] as const;

/** An object that differs from its manifest. */
export interface ManifestChange {
  /** Group, version, kind, namespace and name: `apps/v1.DaemonSet/kube-system/kube-proxy`. */
  readonly object: string;
  readonly action: ManifestAction;
  /** Unified diff, YAML; redacts Secrets. */
  readonly diff: string;
}

/** Options for applying manifests. */
export interface ManifestOptions {
  /**
   * True for server-side apply with an inventory, as nodes do since v1.13; false to replace objects, as older nodes
   * do.
   */
  readonly serverSide: boolean;
  /** True to delete objects that are no longer in any manifest; with server-side apply only. */
  readonly prune: boolean;
  /** True to delete and create objects whose fields cannot be changed. */
  readonly force?: boolean;
  /** Default the first; with server-side apply only. */
  readonly inventoryPolicy?: (typeof inventoryPolicies)[number];
  readonly signal: AbortSignal;
}

/** A manifest with its path on the server. */
interface PlacedManifest {
  readonly path: string;
  readonly manifest: KubernetesObject;
}

interface Pending extends ManifestChange {
  readonly path: string;
  /** Body to send; absent for a deletion. */
  readonly body?: KubernetesObject;
  /** Its manifest; absent for a deletion. */
  readonly manifest?: KubernetesObject;
}

/** Maximum retries after conflicts with another client, such as a controller. */
const maxConflicts = 10;

/** Kinds that others depend on; applied first, in this order. */
const first = [
  "CustomResourceDefinition",
  "Namespace",
  "ClusterRole",
  "ConfigMap",
  "Secret",
];

/** Reads the manifests of a control plane, in their order. Source: `Manifests` in namespace `controlplane`. */
export async function readManifests(
  client: Pick<NodeClient, "state">,
): Promise<readonly KubernetesObject[]> {
  const specs = await readSpecs(client, {
    namespace: "controlplane",
    type: `Manifests.kubernetes.${domain}`,
  });
  const ids = [...specs?.keys() ?? []].sort();
  const objects = ids.flatMap((id) => {
    const { items } = specs?.get(id) ?? {};
    return Array.isArray(items) ? items as KubernetesObject[] : []; // as they are sent
  });
  const rank = ({ kind }: KubernetesObject) => {
    const found = first.indexOf(String(kind));
    return found < 0 ? first.length : found;
  };
  return objects.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Compares manifests with the cluster by a server-side dry run.
 *
 * @returns Differences in apply order.
 * @throws {KubernetesError} If the server refuses.
 * @throws {RefusedError} If an object belongs to another inventory.
 */
export async function planManifests(
  kubernetes: Pick<Kubernetes, "request">,
  objects: readonly KubernetesObject[],
  options: ManifestOptions,
): Promise<readonly ManifestChange[]> {
  const placed = await placeManifests(kubernetes, objects, options.signal);
  const pending = await pendingChanges(kubernetes, placed, options);
  return pending.map(({ object, action, diff }) => ({ object, action, diff }));
}

/**
 * Applies manifests. Yields each change right before it is made.
 *
 * @throws {KubernetesError} If the server refuses; earlier changes stay.
 * @throws {RefusedError} If an object belongs to another inventory; nothing is changed.
 */
export async function* applyManifests(
  kubernetes: Pick<Kubernetes, "request">,
  objects: readonly KubernetesObject[],
  options: ManifestOptions,
): AsyncGenerator<ManifestChange> {
  const { serverSide, prune, signal } = options;
  const placed = await placeManifests(kubernetes, objects, signal);
  const pending = await pendingChanges(kubernetes, placed, options);
  const own = placed.map(({ manifest }) => formatReference(manifest));
  const listed = serverSide ? await readInventory(kubernetes, signal) : own;
  if (own.some((one) => !listed.includes(one))) {
    // Before the changes, so that no created object is missing from the inventory.
    await writeInventory(kubernetes, [...new Set([...listed, ...own])], signal);
  }
  for (const change of pending) {
    const { object, action, diff } = change;
    yield { object, action, diff };
    await send(kubernetes, change, options);
  }
  if (serverSide && prune && listed.some((one) => !own.includes(one))) {
    await writeInventory(kubernetes, own, signal);
  }
}

async function send(
  kubernetes: Pick<Kubernetes, "request">,
  { path, body, manifest, action, object }: Pending,
  options: ManifestOptions,
  conflicts: number = 0,
): Promise<void> {
  const { signal } = options;
  if (action === "recreate") await removeObject(kubernetes, path, signal);
  try {
    await naming(
      object,
      kubernetes.request(
        body === undefined ? path : pathFor(path, action, options),
        body === undefined
          ? {
            method: "DELETE",
            body: { propagationPolicy: "Background" },
            signal,
          }
          : { ...methodFor(action, options), body, signal },
      ),
    );
  } catch (error) {
    if (manifest === undefined || !isConflict(error, conflicts)) throw error;
    const again = await findChange(kubernetes, { path, manifest }, options);
    if (again === undefined) return;
    await send(kubernetes, again, options, conflicts + 1);
  }
}

/** Deletes an object, and waits until it is gone; the deadline of the step ends the wait. */
async function removeObject(
  kubernetes: Pick<Kubernetes, "request">,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const body = { propagationPolicy: "Background" };
  await kubernetes.request(path, { method: "DELETE", body, signal });
  while (await existing(kubernetes, path, signal) !== undefined) {
    await pause(500, signal);
  }
}

/** Reports whether the server refuses to change a field; other validation errors are met again on creation. */
function isImmutable(error: unknown): boolean {
  return error instanceof KubernetesError &&
    (error.code === 422 || /immutable/i.test(error.message));
}

/** Reports whether to retry a change. `conflicts`: number of retries so far. */
function isConflict(error: unknown, conflicts: number): boolean {
  return error instanceof KubernetesError && error.code === 409 &&
    conflicts < maxConflicts;
}

/** Adds the object to errors of the server: webhooks omit it. */
async function naming<T>(object: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof KubernetesError) || isAway(error)) throw error;
    const { code, message } = error;
    throw new KubernetesError(code, `${object}: ${message}`, error);
  }
}

/** Refuses options that need an inventory. Throws {@linkcode RefusedError}. */
export function refuseInventory(
  options: Pick<ManifestOptions, "prune" | "inventoryPolicy">,
): void {
  const { prune, inventoryPolicy = inventoryPolicies[0] } = options;
  const isUsual = inventoryPolicy === inventoryPolicies[0];
  if (isUsual && !prune) return;
  const what = isUsual ? "Pruning" : `Inventory policy ${inventoryPolicy}`;
  throw new RefusedError(
    `${what} needs nodes of v1.13 or later: earlier ones keep no inventory`,
  );
}

/** Finds the paths of manifests, and corrects their namespaces: wrong ones would be missing from the inventory. */
async function placeManifests(
  kubernetes: Pick<Kubernetes, "request">,
  objects: readonly KubernetesObject[],
  signal: AbortSignal,
): Promise<readonly PlacedManifest[]> {
  const placed: PlacedManifest[] = [];
  for (const object of objects) {
    const { path, namespace } = await placeObject(
      kubernetes,
      locateObject(object),
      signal,
    );
    const { namespace: _, ...metadata } = object.metadata ?? {};
    const manifest = {
      ...object,
      metadata: namespace === undefined ? metadata : { ...metadata, namespace },
    };
    placed.push({ path, manifest });
  }
  return placed;
}

async function pendingChanges(
  kubernetes: Pick<Kubernetes, "request">,
  placed: readonly PlacedManifest[],
  options: ManifestOptions,
): Promise<readonly Pending[]> {
  const { serverSide } = options;
  if (!serverSide) refuseInventory(options);
  const changes: Pending[] = [];
  for (const one of placed) {
    const change = await findChange(kubernetes, one, options);
    if (change !== undefined) changes.push(change);
  }
  if (!options.serverSide || !options.prune) return changes;
  const own = new Set(placed.map(({ manifest }) => formatReference(manifest)));
  for (const one of await readInventory(kubernetes, options.signal)) {
    if (own.has(one)) continue;
    const change = await findPruning(kubernetes, one, { own, ...options });
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

/** Difference of an object from its manifest; `undefined` if none. */
async function findChange(
  kubernetes: Pick<Kubernetes, "request">,
  { path, manifest }: PlacedManifest,
  options: ManifestOptions,
  conflicts: number = 0,
): Promise<Pending | undefined> {
  const { serverSide, signal } = options;
  const current = await existing(kubernetes, path, signal);
  const object = formatName(manifest);
  const own = serverSide ? withOwner(manifest) : manifest;
  if (current === undefined) {
    const diff = formatDiff(undefined, own);
    return { object, action: "create", diff, path, body: own, manifest };
  }
  refuseForeign(current, options);
  const { resourceVersion } = readFields(current.metadata);
  const body = serverSide
    ? own
    : { ...own, metadata: { ...own.metadata, resourceVersion } };
  const dryRun = `${serverSide ? "&" : "?"}dryRun=All`;
  try {
    const result = await naming(
      object,
      kubernetes.request(
        `${pathFor(path, "change", options)}${dryRun}`,
        { ...methodFor("change", options), body, signal },
      ),
    );
    const diff = formatDiff(current, result);
    return diff === ""
      ? undefined
      : { object, action: "change", diff, path, body, manifest };
  } catch (error) {
    if (options.force && isImmutable(error)) {
      const diff = formatDiff(current, own);
      return { object, action: "recreate", diff, path, body: own, manifest };
    }
    if (!isConflict(error, conflicts)) throw error;
    const placed = { path, manifest };
    return await findChange(kubernetes, placed, options, conflicts + 1);
  }
}

/** An object to prune; `undefined` if it is gone, or has a manifest. */
async function findPruning(
  kubernetes: Pick<Kubernetes, "request">,
  reference: string,
  { own, ...options }: ManifestOptions & { readonly own: ReadonlySet<string> },
): Promise<Pending | undefined> {
  const found = await findReferenced(kubernetes, reference, options.signal);
  if (found === undefined) return undefined;
  const { path, object } = found;
  // Nodes of v1.13 list objects of the whole cluster with the namespace of their manifest.
  if (own.has(formatReference(object))) return undefined;
  refuseForeign(object, options);
  return {
    object: formatName(object),
    action: "prune",
    diff: formatDiff(object, undefined),
    path,
  };
}

function methodFor(
  action: ManifestAction,
  { serverSide }: ManifestOptions,
): Pick<KubernetesRequest, "method" | "patch"> {
  if (serverSide) return { method: "PATCH", patch: "apply" };
  return { method: action === "change" ? "PUT" : "POST" };
}

function pathFor(
  path: string,
  action: ManifestAction,
  { serverSide }: ManifestOptions,
): string {
  if (serverSide) return `${path}?fieldManager=${fieldManager}&force=true`;
  // New objects are posted to the collection.
  return action === "change" ? path : path.slice(0, path.lastIndexOf("/"));
}

function withOwner(object: KubernetesObject): KubernetesObject {
  const annotations = {
    ...object.metadata?.annotations,
    [owningInventory]: inventoryName,
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Refuses objects that the policy excludes: those of another inventory have an owner that would restore them. */
function refuseForeign(
  object: KubernetesObject,
  { serverSide, inventoryPolicy = inventoryPolicies[0] }: ManifestOptions,
): void {
  const owner = object.metadata?.annotations?.[owningInventory];
  if (!serverSide || owner === inventoryName) return;
  if (owner === undefined && inventoryPolicy !== "MustMatch") return;
  if (inventoryPolicy === "AdoptAll") return;
  const [why, hint] = owner === undefined
    ? [
      "it belongs to no inventory",
      "To adopt it, pass: --manifests-inventory-policy AdoptIfNoInventory",
    ]
    : [
      `it belongs to the inventory "${owner}"`,
      `Remove its annotation ${owningInventory}, or the manifest from the machine configuration, or pass: --manifests-inventory-policy AdoptAll`,
    ];
  throw new RefusedError(`Cannot apply ${formatName(object)}: ${why}`, {
    hint,
  });
}
