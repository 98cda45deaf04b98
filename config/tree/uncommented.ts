/** Trees without what people wrote around the values. */

import type { ConfigNode, ListNode, MapNode } from "./node.ts";

/** Takes all comments and empty lines out of a mapping. */
export function uncommented(node: MapNode): MapNode {
  const entries = node.entries.map(({ before: _, line: __, ...entry }) => ({
    ...entry,
    value: bare(entry.value),
  }));
  const { after: _, ...rest } = node;
  return { ...rest, entries };
}

function bare(node: ConfigNode): ConfigNode {
  if (node.kind === "map") return uncommented(node);
  return node.kind === "list" ? bareList(node) : node;
}

function bareList(node: ListNode): ListNode {
  const { after: _, ...rest } = node;
  return {
    ...rest,
    items: node.items.map(({ value }) => ({ value: bare(value) })),
  };
}
