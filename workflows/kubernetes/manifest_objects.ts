/** Objects in manifests: names, comparison, and inventory. */

import { formatMark } from "../../config/documents/redact.ts";
import { toTree } from "../../config/tree/node.ts";
import { writeTree } from "../../config/tree/write.ts";
import { unified } from "../../config/diff.ts";
import { type Json, sortKeys } from "../../lib/json.ts";
import {
  type Kubernetes,
  type KubernetesObject,
  readFields,
} from "./client.ts";
import { existing, type ObjectChoice, objectPath } from "./objects.ts";

const inventoryNamespace = "kube-system";

/** ConfigMap with the inventory of applied objects. */
export const inventoryName: string = "talos-bootstrap-manifests-inventory";

/** Fields set by the API server or changed automatically. */
const ownFields: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "finalizers",
  "selfLink",
  "ownerReferences",
]);

/** Unified diff of two versions of an object, YAML; a missing version is empty. Redacts Secrets. */
export function formatDiff(
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): string {
  const text = (
    object: KubernetesObject | undefined,
    other?: KubernetesObject,
  ) =>
    object === undefined
      ? ""
      : writeTree(toTree(comparable(withoutSecrets(object, other))));
  return unified(text(before), text(after, before));
}

function comparable(object: KubernetesObject): Json {
  const { metadata, status: _, secrets, ...rest } = object;
  const { annotations, ...others } = readFields(metadata);
  const kept = Object.fromEntries(
    Object.entries(readFields(annotations)).filter(([name]) =>
      !name.includes("kubernetes.io/") &&
      name !== "deprecated.daemonset.template.generation" // a counter of the API server
    ),
  );
  // Kubernetes adds the secrets of a ServiceAccount.
  const isOwn = object.kind === "ServiceAccount" || secrets === undefined;
  // API servers do not keep their order.
  return sortKeys({
    ...rest,
    metadata: {
      ...Object.fromEntries(
        Object.entries(others).filter(([name]) => !ownFields.has(name)),
      ),
      ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }),
    },
    ...(isOwn ? {} : { secrets }),
  });
}

/** Replaces the values of a Secret with markers that show whether each has changed. */
function withoutSecrets(
  object: KubernetesObject,
  before: KubernetesObject | undefined,
): KubernetesObject {
  if (object.kind !== "Secret") return object;
  const marked = (part: "data" | "stringData") => {
    if (object[part] === undefined) return {};
    const old = readFields(before?.[part]);
    const values = Object.entries(readFields(object[part])).map(
      ([name, value]) => {
        const isOther = Object.hasOwn(old, name) && old[name] !== value;
        const note = isOther ? "changed" : undefined;
        return [name, formatMark(String(value), "text", note)];
      },
    );
    return { [part]: Object.fromEntries(values) };
  };
  return { ...object, ...marked("data"), ...marked("stringData") };
}

/** Path of an object. */
export function locateObject(
  { apiVersion, kind, metadata }: KubernetesObject,
): ObjectChoice & { readonly name: string } {
  const { name = "", namespace } = metadata ?? {};
  return {
    apiVersion: String(apiVersion),
    kind: String(kind),
    name,
    namespace,
  };
}

/** Display name of an object: `v1.ConfigMap/kube-system/coredns`. */
export function formatName(object: KubernetesObject): string {
  const { apiVersion, kind, name, namespace } = locateObject(object);
  return [`${apiVersion}.${kind}`, namespace, name]
    .filter((part) => part !== undefined).join("/");
}

/** Inventory key of an object: namespace, name, group and kind. */
export function formatReference(object: KubernetesObject): string {
  const { apiVersion, kind, name, namespace = "" } = locateObject(object);
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
  // ConfigMap keys cannot contain colons; role names can.
  return [namespace, name.replaceAll(":", "__"), group, kind].join("_");
}

/** Reads an object by its inventory key, and its path; `undefined` if it is gone. */
export async function findReferenced(
  kubernetes: Pick<Kubernetes, "request">,
  reference: string,
  signal: AbortSignal,
): Promise<
  { readonly path: string; readonly object: KubernetesObject } | undefined
> {
  const parts =
    /^(?<namespace>[^_]*)_(?<name>.+)_(?<group>[^_]*)_(?<kind>[^_]+)$/.exec(
      reference,
    )?.groups;
  const { namespace = "", name = "", group = "", kind = "" } = parts ?? {};
  if (kind === "") return undefined;
  const apiVersion = group === ""
    ? "v1"
    : await preferredVersion(kubernetes, group, signal);
  // A group without definitions has no objects.
  if (apiVersion === undefined) return undefined;
  const path = await objectPath(kubernetes, {
    apiVersion,
    kind,
    name: name.replaceAll("__", ":"),
    ...(namespace === "" ? {} : { namespace }),
  }, signal);
  const object = await existing(kubernetes, path, signal);
  return object && { path, object: { apiVersion, kind, ...object } };
}

async function preferredVersion(
  kubernetes: Pick<Kubernetes, "request">,
  group: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await existing(kubernetes, `/apis/${group}`, signal);
  const { groupVersion } = readFields(found?.preferredVersion);
  return typeof groupVersion === "string" ? groupVersion : undefined;
}

const inventoryPath = `/api/v1/namespaces/${inventoryNamespace}/configmaps`;

/** Keys of all objects in the inventory; empty if there is no inventory. */
export async function readInventory(
  kubernetes: Pick<Kubernetes, "request">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const path = `${inventoryPath}/${inventoryName}`;
  const found = await existing(kubernetes, path, signal);
  return Object.keys(readFields(found?.data));
}

/** Writes the inventory. */
export async function writeInventory(
  kubernetes: Pick<Kubernetes, "request">,
  references: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const body = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: inventoryName, namespace: inventoryNamespace },
    data: Object.fromEntries(references.toSorted().map((one) => [one, ""])),
  };
  const path = `${inventoryPath}/${inventoryName}`;
  const isThere = await existing(kubernetes, path, signal) !== undefined;
  await kubernetes.request(
    isThere ? path : inventoryPath,
    { method: isThere ? "PUT" : "POST", body, signal },
  );
}
