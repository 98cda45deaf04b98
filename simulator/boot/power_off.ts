/** Takes the power from a node, and waits until it is there again. */

import { strikes } from "../faults/faults.ts";
import type { SimulatedNode } from "../node/node.ts";

/** Takes the power away: every connection breaks at once. */
export function powerOff(node: SimulatedNode): void {
  node.boot.reachable = false;
  node.boot.shutdown.abort();
  node.boot.power.abort();
  node.network.down();
}

/**
 * Waits between two boots.
 *
 * @returns False when the node stays off.
 */
export async function untilPowerOn(node: SimulatedNode): Promise<boolean> {
  if (strikes(node, "never-returns", "Reboot")) return false;
  await node.clock.sleep(node.pace.downMs, node.ended);
  return !node.ended.aborted;
}
