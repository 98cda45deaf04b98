/** When two values are the same. */

import { childOf, type ConfigNode, type ScalarNode } from "./node.ts";
import { resolvePlain } from "./resolve.ts";

/**
 * Tells whether two values are the same; comments, the order of keys, and how
 * scalars are spelled do not matter.
 */
export function sameValue(a: ConfigNode, b: ConfigNode): boolean {
  if (a === b) return true;
  if (a.kind === "scalar" && b.kind === "scalar") return sameScalar(a, b);
  if (a.kind === "list" && b.kind === "list") {
    return a.items.length === b.items.length &&
      a.items.every(({ value }, index) => {
        const other = b.items[index];
        return other !== undefined && sameValue(value, other.value);
      });
  }
  if (a.kind === "map" && b.kind === "map") {
    return a.entries.length === b.entries.length &&
      a.entries.every(({ key, value }, index) => {
        const beside = b.entries[index];
        // Mostly the order is the same, too.
        const other = beside?.key === key ? beside.value : childOf(b, key);
        return other !== undefined && sameValue(value, other);
      });
  }
  return false;
}

function sameScalar(a: ScalarNode, b: ScalarNode): boolean {
  if (a.plain === b.plain && a.text === b.text) return true;
  const [one, other] = [meaning(a), meaning(b)];
  return one.text === other.text && one.type === other.type;
}

function meaning({ text, plain }: ScalarNode) {
  return plain ? resolvePlain(text) : { text, type: "text" };
}
