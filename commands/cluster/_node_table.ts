/** The nodes of a local cluster as a table. */

import type { LocalNode } from "../../provisioners/mod.ts";
import { bytesText, cell, layOut } from "../_kit/mod.ts";

/**
 * Draws nodes.
 *
 * @param stateOf State of each node; omitted, the table has no such column.
 */
export function nodeTable(
  nodes: readonly LocalNode[],
  stateOf?: (node: LocalNode) => string,
): string {
  const state = stateOf === undefined ? [] : ["STATE"];
  return layOut([
    ["NAME", "TYPE", "IP", ...state, "CPU", "RAM", "DISK"].map(cell),
    ...nodes.map((node) =>
      [
        node.name,
        node.type,
        node.ips.join(","),
        ...stateOf === undefined ? [] : [stateOf(node)],
        node.nanocpus === 0 ? "-" : (node.nanocpus / 1e9).toFixed(2),
        node.memory === 0 ? "-" : bytesText(node.memory),
        node.disksize === 0 ? "-" : bytesText(node.disksize),
      ].map(cell)
    ),
  ], { gap: 3 }).text;
}
