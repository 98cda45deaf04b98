/** What a pod needs to be given a service account: a volume, and a mount of it in every container. */

import { serviceAccount } from "../../dialect.ts";
import type { Change } from "./change.ts";
import {
  isList,
  isValueMap,
  mapOf,
  sameValue,
  type Value,
  valueAt,
  type ValueMap,
} from "./value.ts";
import { type ManifestObject, type Path, podPaths } from "./workload.ts";

/** What an object needs. */
export type PodChanges =
  | {
    /** An object with a pod. */
    readonly state: "known";
    /** Changes to its document, those of containers first; empty when it has what it needs. */
    readonly changes: readonly Change[];
  }
  | {
    /** An object with a pod that cannot be changed. */
    readonly state: "unsound";
    /** Why; no period. */
    readonly fault: string;
  };

/**
 * Names the service account of an object, and the secret with its configuration.
 *
 * @param name Name of the object.
 */
export function accountNameOf(name: string): string {
  return `${name}-${serviceAccount.volume}`;
}

/**
 * Tells what an object needs. What is called as ours is ours: it is replaced and comes last.
 *
 * @param object An object.
 * @returns `undefined` for an object that has no pod.
 */
export function podChanges(object: ManifestObject): PodChanges | undefined {
  const podPath = podPaths.get(object.type);
  if (podPath === undefined) return undefined;
  const { name } = object;
  if (name === undefined) {
    const named = valueAt(object.value, ["metadata", "name"]) ?? "";
    return unsound(named === "" ? "it has no name" : "its name is no text");
  }
  const pod = valueAt(object.value, podPath);
  if (!isValueMap(pod)) return unsound(`"${podPath.join(".")}" is no mapping`);
  const wrong = wrongPart(pod);
  if (wrong !== undefined) return unsound(`"${podPath.join(".")}.${wrong}`);
  const path = [...object.path, ...podPath];
  const mounts = ["initContainers", "containers"].flatMap((key) =>
    itemsOf(pod, key).flatMap((container, i) =>
      isValueMap(container)
        ? changeOf(container, [...path, key, i], "volumeMounts", mount)
        : []
    )
  );
  const volumes = changeOf(pod, path, "volumes", volumeOf(name));
  return { state: "known", changes: [...mounts, ...volumes] };
}

const mount = mapOf({
  name: serviceAccount.volume,
  mountPath: serviceAccount.mountPath,
});

function volumeOf(name: string): ValueMap {
  return mapOf({
    name: serviceAccount.volume,
    secret: mapOf({ secretName: accountNameOf(name) }),
  });
}

function unsound(fault: string): PodChanges {
  return { state: "unsound", fault };
}

/** Names the part that is not what it should be, after a quotation mark that is open. */
function wrongPart(pod: ValueMap): string | undefined {
  for (const key of ["initContainers", "containers", "volumes"]) {
    if (!isListOrNothing(pod, key)) return `${key}" is no list`;
    for (const [i, item] of itemsOf(pod, key).entries()) {
      if (!isValueMap(item)) return `${key}[${i}]" is no mapping`;
      if (!isListOrNothing(item, "volumeMounts")) {
        return `${key}[${i}].volumeMounts" is no list`;
      }
    }
  }
  return undefined;
}

function isListOrNothing(map: ValueMap, key: string): boolean {
  const value = map.get(key) ?? null;
  return value === null || isList(value);
}

function itemsOf(map: ValueMap, key: string): readonly Value[] {
  const value = map.get(key);
  return isList(value) ? value : [];
}

function changeOf(
  map: ValueMap,
  path: Path,
  key: string,
  item: ValueMap,
): Change[] {
  const items = itemsOf(map, key);
  const drop = items.flatMap((one, i) =>
    isValueMap(one) && one.get("name") === item.get("name") ? [i] : []
  );
  const last = items.at(-1);
  if (drop.length === 1 && last !== undefined && sameValue(last, item)) {
    return [];
  }
  return [{ path, key, drop, add: [item] }];
}
