/** Nodes of a local cluster, by name, address or selector. */

import { UsageError } from "../../errors.ts";
import {
  type ClusterLocation,
  clusterNotFound,
  type LocalNode,
  readState,
} from "../../provisioners/mod.ts";
import { nearest } from "../../lib/text/nearest.ts";

/**
 * Finds nodes of a local cluster by name, address or selector.
 *
 * @param wanted Values of `--nodes`; empty for all.
 * @throws {UsageError} If the cluster has no such node.
 * @throws {ConfigError} If there is no such cluster.
 */
export async function localNodes(
  place: ClusterLocation,
  wanted: readonly string[],
): Promise<readonly LocalNode[]> {
  const state = await readState(place);
  if (state === undefined) throw clusterNotFound(place);
  const { nodes } = state.clusterinfo;
  const chosen = wanted.length === 0 ? ["@all"] : wanted;
  const found = new Set(chosen.flatMap((word) => {
    const matching = nodes.filter((node) => matches(node, word));
    if (matching.length === 0) throw unknownNode(word, place, nodes);
    return matching;
  }));
  return nodes.filter((node) => found.has(node));
}

function matches({ name, ips, type }: LocalNode, word: string): boolean {
  switch (word) {
    case "@all":
      return true;
    case "@controlplane":
      return type === "controlplane";
    case "@workers":
      return type === "worker";
    default:
      return name === word || ips.includes(word);
  }
}

function unknownNode(
  word: string,
  { name }: ClusterLocation,
  nodes: readonly LocalNode[],
): UsageError {
  const near = nearest(word, nodes.flatMap((node) => [node.name, ...node.ips]));
  return new UsageError(`Cannot find node "${word}" in cluster "${name}"`, {
    hint: near === undefined
      ? `List its nodes with: osctl cluster show --name ${name}`
      : `Did you mean ${near}?`,
  });
}
