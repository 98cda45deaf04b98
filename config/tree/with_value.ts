/** Sets values in a tree. */

import type { ConfigNode, MapNode } from "./node.ts";

/**
 * Sets or removes a value at a path.
 *
 * @param path Keys from the root; missing mappings are created.
 * @param value The value; `undefined` to remove it.
 */
export function withValue(
  root: MapNode,
  [key, ...rest]: readonly [string, ...string[]],
  value: ConfigNode | undefined,
): MapNode {
  const old = root.entries.find((entry) => entry.key === key);
  const made = rest.length === 0 ? value : inside(old?.value, rest, value);
  if (made === undefined) {
    const entries = root.entries.filter((entry) => entry.key !== key);
    return { ...root, entries };
  }
  const entries = old === undefined
    ? [...root.entries, { key, value: made }]
    : root.entries.map((entry) =>
      entry === old ? { ...entry, value: made } : entry
    );
  return { ...root, entries };
}

function inside(
  old: ConfigNode | undefined,
  path: readonly string[],
  value: ConfigNode | undefined,
): ConfigNode | undefined {
  if (old?.kind !== "map" && value === undefined) return old;
  const map: MapNode = old?.kind === "map" ? old : { kind: "map", entries: [] };
  const [key = "", ...rest] = path;
  return withValue(map, [key, ...rest], value);
}
