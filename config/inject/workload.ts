/** Objects in manifests, and where those that run pods keep the description of the pod. */

import { isList, isValueMap, type Value, type ValueMap } from "./value.ts";

/** Keys and indices that lead to a value. */
export type Path = readonly (string | number)[];

/** An object, alone in its document or out of a list. */
export interface ManifestObject {
  /** Where it is in its document; empty when it is the document. */
  readonly path: Path;
  /** The object. */
  readonly value: ValueMap;
  /** API version and kind, `apps/v1/Deployment`. */
  readonly type: string;
  /** Kind alone. */
  readonly kind: string;
  /** `undefined` when it has none, or one that is no text. */
  readonly name: string | undefined;
  /** Empty when it has none. */
  readonly namespace: string;
  /** Where the `v1/List` is that holds it and takes objects of any kind; `undefined` when there is none. */
  readonly list: Path | undefined;
}

/** Type to where its pod is described. */
export const podPaths: ReadonlyMap<string, readonly string[]> = new Map([
  ["v1/Pod", ["spec"]],
  ["apps/v1/Deployment", ["spec", "template", "spec"]],
  ["apps/v1/StatefulSet", ["spec", "template", "spec"]],
  ["apps/v1/DaemonSet", ["spec", "template", "spec"]],
  ["batch/v1/Job", ["spec", "template", "spec"]],
  ["batch/v1/CronJob", ["spec", "jobTemplate", "spec", "template", "spec"]],
]);

/**
 * Lists the objects of a document, those in lists among them.
 *
 * @param value What the document says.
 */
export function objectsOf(value: Value): readonly ManifestObject[] {
  return objectsIn(value, { path: [], list: undefined });
}

interface Around {
  readonly path: Path;
  readonly list: Path | undefined;
  /** What items of a typed list are when they do not say it. */
  readonly apiVersion?: string;
  readonly kind?: string;
}

function objectsIn(value: Value, around: Around): ManifestObject[] {
  if (!isValueMap(value)) return [];
  const { path, list } = around;
  const apiVersion = textOf(value, "apiVersion") ?? around.apiVersion;
  const kind = textOf(value, "kind") ?? around.kind;
  if (apiVersion === undefined || kind === undefined) return [];
  const type = `${apiVersion}/${kind}`;
  const items = value.get("items");
  if (kind.endsWith("List") && isList(items)) {
    const inner = type === "v1/List"
      ? { list: path }
      : { list, apiVersion, kind: kind.slice(0, -"List".length) };
    return items.flatMap((item, i) =>
      objectsIn(item, { ...inner, path: [...path, "items", i] })
    );
  }
  const metadata = value.get("metadata");
  const named = isValueMap(metadata) ? metadata : new Map<string, Value>();
  return [{
    path,
    value,
    type,
    kind,
    name: textOf(named, "name"),
    namespace: textOf(named, "namespace") ?? "",
    list,
  }];
}

function textOf(map: ValueMap, key: string): string | undefined {
  const text = map.get(key);
  return typeof text === "string" && text !== "" ? text : undefined;
}
