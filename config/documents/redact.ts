/** Documents without their secrets. */

import type { ConfigNode, MapNode } from "../tree/node.ts";
import type { Fields, Shape } from "./schema.ts";

/** What stands in the place of a secret. */
export const redacted = "******";

/**
 * Says what to write in the place of a secret.
 *
 * @param path Where it stands, from the root.
 * @param text The secret.
 */
export type Mark = (path: string, text: string) => string;

/**
 * Replaces every secret that is not empty.
 *
 * @param root A document.
 * @param fields Description; of a kind that is not known everything stays.
 * @param mark What to write instead.
 */
export function redact(
  root: MapNode,
  fields: Fields | undefined,
  mark: Mark = () => redacted,
): MapNode {
  if (fields === undefined) return root;
  const hidden = hide(root, { shape: "struct", fields }, "", mark);
  return hidden.kind === "map" ? hidden : root;
}

function hide(
  node: ConfigNode,
  shape: Shape,
  path: string,
  mark: Mark,
): ConfigNode {
  if (node.kind === "list" && shape.shape === "list") {
    const items = node.items.map((item, index) => ({
      ...item,
      value: hide(item.value, shape.of, `${path}/${index}`, mark),
    }));
    return { ...node, items };
  }
  if (node.kind !== "map") return node;
  const entries = node.entries.map((entry) => {
    const at = `${path}/${entry.key}`;
    const field = shape.shape === "struct"
      ? shape.fields[entry.key]
      : undefined;
    const of = shape.shape === "map" ? shape.of : field?.shape;
    if (of === undefined) return entry;
    const value = field?.secret
      ? blank(entry.value, at, mark)
      : hide(entry.value, of, at, mark);
    return { ...entry, value };
  });
  return { ...node, entries };
}

function blank(
  node: ConfigNode,
  path: string,
  mark: Mark,
): ConfigNode {
  if (node.kind === "scalar") {
    return node.text === ""
      ? node
      : { ...node, text: mark(path, node.text), plain: false };
  }
  if (node.kind === "list") {
    const items = node.items.map((item, index) => ({
      ...item,
      value: blank(item.value, `${path}/${index}`, mark),
    }));
    return { ...node, items };
  }
  const entries = node.entries.map((entry) => ({
    ...entry,
    value: blank(entry.value, `${path}/${entry.key}`, mark),
  }));
  return { ...node, entries };
}
