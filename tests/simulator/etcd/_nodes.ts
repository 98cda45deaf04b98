/** Control planes whose etcd runs and nothing else does, for tests of the service. */

import { startEtcd, untilEtcd } from "../../../simulator/etcd/etcd_service.ts";
import type { ClusterOptions } from "../../../simulator/cluster/make_cluster.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { makeNodes } from "../_node.ts";

/** Begins a cluster without a snapshot. */
export const fresh = { recover: false, skipHashCheck: false } as const;

/** Makes control planes and starts a modelled etcd on all; their cluster is `lab`. */
export async function servingNodes(
  controlplanes: number,
  options: ClusterOptions = {},
): Promise<readonly SimulatedNode[]> {
  const nodes = await makeNodes({ ...options, controlplanes });
  for (const node of nodes) startEtcd(node);
  await Promise.all(
    nodes.map((node) => untilEtcd(node, node.boot.power.signal)),
  );
  return nodes;
}

/** Waits until something is true of a node; it is checked after every event. */
export async function until(
  { boot: { events, power: running } }: SimulatedNode,
  isTrue: () => boolean,
): Promise<void> {
  while (!isTrue()) await events.waitFor(events.end(), running.signal);
}

/** History of a node's etcd: `Running: Health check successful`. */
export function serviceHistory(
  { boot: { services } }: SimulatedNode,
): readonly string[] {
  return (services.get("etcd")?.events ?? []).map(({ state, message }) =>
    `${state}: ${message}`
  );
}
