/** Counts what happens to a simulated node. */

import type { SimulatedNode } from "../simulator/state/node.ts";
import { setFault } from "../simulator/faults/set_fault.ts";

export interface Counts {
  /** Calls of the method that reached the node. */
  readonly calls: number;
  readonly boots: number;
}

/**
 * Counts from now on.
 *
 * @param node The node; its fault `slow` is taken.
 * @param method Name of the method: `Reboot`.
 */
export async function counting(
  node: SimulatedNode,
  method: string,
): Promise<() => Counts> {
  const calls = 1_000;
  // A fault that does no harm is informed of every call.
  await setFault(node, "slow", { method, ms: 0, calls });
  const { boots } = node.counts;
  return () => ({
    calls: calls - (node.faults.get("slow")?.remaining ?? 0),
    boots: node.counts.boots - boots,
  });
}
