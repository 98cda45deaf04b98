/** Which node answers at another one's address. */

import type { SimulatedNode } from "../node/node.ts";

/** The node that new connections to a node's address reach: itself, unless `vip-moves` is on. */
export function standIn(node: SimulatedNode): SimulatedNode {
  const fault = node.faults.get("vip-moves");
  if (!fault) return node;
  const { nodes } = node.cluster;
  const chosen = nodes.find(({ identity: { address, hostname } }) =>
    address === fault.node || hostname === fault.node
  );
  const controlPlanes = nodes.filter((one) =>
    one !== node && one.identity.machineType === "controlplane"
  );
  return chosen ?? controlPlanes.at(-1) ?? node;
}
