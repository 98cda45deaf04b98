/** Looking nodes of a document up, where they are written out. */

import { isMap, isScalar, isSeq, type Pair, type YAMLMap } from "yaml";

/**
 * Looks a node up. Aliases are not followed, and merge keys are not looked into.
 *
 * @param node Where to start.
 * @param path Keys and indices.
 * @returns `undefined` when nothing is written there.
 */
export function nodeAt(
  node: unknown,
  path: readonly (string | number)[],
): unknown {
  let found = node;
  for (const step of path) {
    if (typeof step === "number") {
      found = isSeq(found) ? found.items[step] : undefined;
    } else found = isMap(found) ? pairAt(found, step)?.value : undefined;
  }
  return found;
}

/**
 * Looks a key up.
 *
 * @param map Mapping.
 * @param key Text of the key.
 */
export function pairAt(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) =>
    isScalar(pair.key) && String(pair.key.value) === key
  );
}
