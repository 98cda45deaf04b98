/** Changes to lists in manifests, apart from how the lists are written. */

import { isList, isValueMap, type Value } from "./value.ts";

/** Items that leave a list, and items that join it at its end. */
export interface Change {
  /** Keys and indices that lead to the mapping which holds the list. */
  readonly path: readonly (string | number)[];
  /** Key of the list; it may be missing or empty. */
  readonly key: string;
  /** Places of the items that leave. */
  readonly drop: readonly number[];
  /** Items that join. */
  readonly add: readonly Value[];
}

/**
 * Makes the value that changes lead to.
 *
 * @param value Value before.
 * @param changes In order; none drops an item through which the path of another leads.
 */
export function changedValue(
  value: Value,
  changes: readonly Change[],
): Value {
  return changes.reduce((before, change) => apply(before, change, 0), value);
}

function apply(value: Value, change: Change, depth: number): Value {
  const { path, key, drop, add } = change;
  const step = path[depth];
  if (isList(value) && typeof step === "number") {
    return value.map((item, i) =>
      i === step ? apply(item, change, depth + 1) : item
    );
  }
  if (!isValueMap(value) || typeof step === "number") return value;
  const result = new Map(value);
  if (step === undefined) {
    const old = value.get(key);
    const items = isList(old) ? old : [];
    const gone = new Set(drop);
    const kept = items.filter((_, i) => !gone.has(i));
    result.set(key, [...kept, ...add]);
  } else result.set(step, apply(value.get(step) ?? null, change, depth + 1));
  return result;
}
