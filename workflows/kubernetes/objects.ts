/** Kubernetes objects of any kind, found by resource names. */

import {
  type Kubernetes,
  KubernetesError,
  type KubernetesObject,
  readFields,
} from "./client.ts";

/** Selection of objects. */
export interface ObjectChoice {
  /** Group and version: `apps/v1`; `v1` for the core group. */
  readonly apiVersion: string;
  /** Kind: `Deployment`. */
  readonly kind: string;
  /** Object name; default all. */
  readonly name?: string;
  /** Namespace; default all. */
  readonly namespace?: string;
  /** Label selector: `app=web,tier!=db`. */
  readonly labelSelector?: string;
}

/**
 * Reads objects.
 *
 * @returns Matching objects; empty when none has that name.
 * @throws {KubernetesError} If the server does not know the kind, or refuses.
 */
export async function readObjects(
  kubernetes: Kubernetes,
  choice: ObjectChoice,
  signal: AbortSignal,
): Promise<readonly KubernetesObject[]> {
  const { name, labelSelector } = choice;
  if (name !== undefined) {
    const path = await objectPath(kubernetes, { ...choice, name }, signal);
    const object = await existing(kubernetes, path, signal);
    return object === undefined ? [] : [object];
  }
  const { folder } = await findFolder(kubernetes, choice, signal);
  const query = labelSelector === undefined
    ? ""
    : `?labelSelector=${encodeURIComponent(labelSelector)}`;
  const { items } = await kubernetes.request(`${folder}${query}`, { signal });
  return Array.isArray(items) ? items : [];
}

/**
 * Path of an object, from `/api` or `/apis` on.
 *
 * @throws {KubernetesError} If the server does not know the kind.
 */
export async function objectPath(
  kubernetes: Pick<Kubernetes, "request">,
  choice: ObjectChoice & { readonly name: string },
  signal: AbortSignal,
): Promise<string> {
  return (await placeObject(kubernetes, choice, signal)).path;
}

/** Path of an object, and its namespace there: none for kinds of the whole cluster, otherwise `default` by default. */
export async function placeObject(
  kubernetes: Pick<Kubernetes, "request">,
  choice: ObjectChoice & { readonly name: string },
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly namespace: string | undefined }> {
  const { folder, namespace } = await findFolder(kubernetes, choice, signal);
  return { path: `${folder}/${encodeURIComponent(choice.name)}`, namespace };
}

async function findFolder(
  kubernetes: Pick<Kubernetes, "request">,
  { apiVersion, kind, name, namespace }: ObjectChoice,
  signal: AbortSignal,
): Promise<
  { readonly folder: string; readonly namespace: string | undefined }
> {
  const base = apiVersion.includes("/")
    ? `/apis/${apiVersion}`
    : `/api/${apiVersion}`;
  const { plural, namespaced } = await findResource(
    kubernetes,
    { base, kind, namespaced: namespace !== undefined },
    signal,
  );
  const inside = namespace ?? (name === undefined ? undefined : "default");
  if (!namespaced || inside === undefined) {
    return { folder: `${base}/${plural}`, namespace: undefined };
  }
  return {
    folder: `${base}/namespaces/${encodeURIComponent(inside)}/${plural}`,
    namespace: inside,
  };
}

interface Resource {
  readonly plural: string;
  readonly namespaced: boolean;
}

async function findResource(
  kubernetes: Pick<Kubernetes, "request">,
  { base, kind, namespaced }: {
    readonly base: string;
    readonly kind: string;
    readonly namespaced: boolean;
  },
  signal: AbortSignal,
): Promise<Resource> {
  const list = await existing(kubernetes, base, signal);
  const resources = Array.isArray(list?.resources)
    ? list.resources.map(readFields)
    : [];
  // Subresources, such as status, are listed among the kinds.
  const found = resources.find((one) =>
    one.kind === kind && !String(one.name).includes("/")
  );
  if (found !== undefined) {
    return {
      plural: String(found.name),
      namespaced: found.namespaced === true,
    };
  }
  if (resources.length > 0) {
    throw new KubernetesError(
      404,
      `Kubernetes has no kind "${kind}" in ${base}`,
    );
  }
  return { plural: `${kind.toLowerCase()}s`, namespaced };
}

/** Reads the object at a path; `undefined` if it does not exist. */
export async function existing(
  kubernetes: Pick<Kubernetes, "request">,
  path: string,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  try {
    return await kubernetes.request(path, { signal });
  } catch (error) {
    if (error instanceof KubernetesError && error.code === 404) {
      return undefined;
    }
    throw error;
  }
}
