/** Simulated nodes without a network, for tests of their parts. */

import { createBackground } from "../../simulator/state/background.ts";
import { bootNode } from "../../simulator/boot/boot.ts";
import type { Clock } from "../../simulator/clock/clock.ts";
import {
  type ClusterOptions,
  makeCluster,
} from "../../simulator/cluster/make_cluster.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";

/** 2026-03-01T12:00:00Z. */
export const noon = 1_772_366_400_000;

/** A clock that stands still; waiting takes no time. */
export const stopped: Clock = {
  now: () => noon,
  sleep: () => Promise.resolve(),
};

/** Makes nodes that are switched off and do not listen; their cluster is `lab`. */
export async function makeNodes(
  options: ClusterOptions = {},
): Promise<readonly SimulatedNode[]> {
  const life = {
    ended: new AbortController().signal,
    background: createBackground(),
  };
  const quiet = { name: "lab", clock: stopped, places: () => undefined };
  const { nodes } = await makeCluster({ ...quiet, ...options }, life);
  return nodes;
}

/** Makes nodes and boots them. */
export async function bootNodes(
  options: ClusterOptions = {},
): Promise<readonly SimulatedNode[]> {
  const nodes = await makeNodes(options);
  await Promise.all(nodes.map(bootNode));
  return nodes;
}

/** Makes one control plane and boots it. */
export async function bootedNode(
  options: ClusterOptions = {},
): Promise<SimulatedNode> {
  const [node] = await bootNodes(options);
  return node!; // there is always one
}
