/** The META partition of a node: small values under keys of one byte. */

import { putChanged, toKey } from "./contents/content.ts";
import type { SimulatedNode } from "../state/node.ts";

/** Keys that nodes use themselves. */
export const metaKey = {
  /** Entry of the boot loader to go back to when the next boot fails. */
  upgrade: 6,
  /** Image of the installer that the next boot runs. */
  stagedImage: 7,
  stagedOptions: 8,
} as const;

/** Room for all values, in bytes; each value takes eight more than it is long. */
const capacity = 256 * 1024 - 40;

/**
 * Writes a value; it is on the disk when the node was saved.
 *
 * @param key 0 to 255.
 * @returns False when there is no room for it.
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

/** Removes a value. Returns false when there was none. */
export function deleteMeta(node: SimulatedNode, key: number): boolean {
  if (!node.disk.meta.delete(key)) return false;
  node.boot.resources.remove(toKey(place(key)));
  return true;
}

/** Shows all values as resources. */
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
