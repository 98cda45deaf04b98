/** Patches of objects: merge patches, strategic merge patches and server-side apply. */

import {
  type ObjectFields,
  readFields,
  readList,
} from "../state/kubernetes_objects.ts";

/**
 * Applies a merge patch.
 *
 * @param patch Fields to replace; `null` removes one.
 * @param byName True to merge list elements by name, as strategic merge patches do; default false.
 */
export function mergePatch(
  target: ObjectFields,
  patch: ObjectFields,
  byName: boolean = false,
): ObjectFields {
  const merged: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    // Directives of strategic merge patches, such as the order of lists.
    if (byName && name.startsWith("$")) continue;
    if (value === null) delete merged[name];
    else merged[name] = replaceValue(merged[name], value, byName);
  }
  return merged;
}

function replaceValue(
  before: unknown,
  value: unknown,
  byName: boolean,
): unknown {
  if (!Array.isArray(value)) {
    return typeof value === "object"
      ? mergePatch(readFields(before), readFields(value), byName)
      : value;
  }
  const known = readList(before);
  const given = readList(value);
  const named = byName &&
    [...known, ...given].every(({ name }) => typeof name === "string");
  if (!named) return value;
  const merged = new Map(known.map((one) => [one.name, one]));
  for (const { $patch, ...one } of given) {
    if ($patch === "delete") merged.delete(one.name);
    else {merged.set(
        one.name,
        mergePatch(merged.get(one.name) ?? {}, one, true),
      );}
  }
  return [...merged.values()];
}

/** Patch that also removes the fields and named items that its owner applied before, and no longer does. */
export function withRemovals(
  before: ObjectFields,
  after: ObjectFields,
): ObjectFields {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
    .map((name) => [name, null]);
  const kept = Object.entries(after).map(([name, value]) => {
    const old = before[name];
    if (!Array.isArray(value)) {
      const isGroup = typeof value === "object" && value !== null;
      const fields = readFields(value);
      return [name, isGroup ? withRemovals(readFields(old), fields) : value];
    }
    const items = readList(value);
    const known = readList(old);
    const named = [...items, ...known]
      .every((item) => typeof item.name === "string");
    if (!named) return [name, value];
    const find = (list: readonly ObjectFields[], wanted: unknown) =>
      list.find((item) => item.name === wanted);
    return [name, [
      ...known.filter((item) => find(items, item.name) === undefined)
        .map((item) => ({ name: item.name, $patch: "delete" })),
      ...items.map((item) => withRemovals(find(known, item.name) ?? {}, item)),
    ]];
  });
  return Object.fromEntries([...gone, ...kept]);
}
