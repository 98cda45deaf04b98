/** META partition of a node: small values by one-byte key. */

import { putChanged, toKey } from "./contents/content.ts";
import type { SimulatedNode } from "../state/node.ts";

/** Keys that nodes use themselves. */
export const metaKey = {
  /** Boot loader entry to roll back to if the next boot fails. */
  upgrade: 6,
  /** Installer image that the next boot runs. */
  stagedImage: 7,
  stagedOptions: 8,
} as const;

/** Capacity for all values, in bytes; each value has an overhead of eight bytes. */
const capacity = 256 * 1024 - 40;

/**
 * Sets a value; it is persistent once the node is saved.
 *
 * @param key 0 to 255.
 * @returns False if there is not enough space.
 */
export function setMeta(
  node: SimulatedNode,
  key: number,
  value: Uint8Array,
): boolean {
  const others = [...node.disk.meta].filter(([other]) => other !== key);
  const used = [...others, [key, value] as const].reduce(
    (sum, [, { length }]) => sum + 8 + length,
    0,
  );
  if (used > capacity) return false;
  node.disk.meta.set(key, value);
  publishMeta(node);
  return true;
}

/** Removes a value. Returns false if there was none. */
export function deleteMeta(node: SimulatedNode, key: number): boolean {
  if (!node.disk.meta.delete(key)) return false;
  node.boot.resources.remove(toKey(place(key)));
  return true;
}

/** Publishes all values as resources. */
export function publishMeta(node: SimulatedNode): void {
  putChanged(
    node,
    [...node.disk.meta].map(([key, bytes]) => ({
      ...place(key),
      spec: { value: new TextDecoder().decode(bytes) },
    })),
  );
}

function place(key: number) {
  const id = `0x${key.toString(16).padStart(2, "0")}`;
  return { type: "MetaKeys.runtime", id };
}
