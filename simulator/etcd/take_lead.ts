/** Makes the member of a node the leader. */

import type { SimulatedNode } from "../node/node.ts";
import { told } from "./refusal_status.ts";

/**
 * Lets the leader of etcd give its place to the member of a node.
 *
 * @throws {RpcError} When etcd refuses.
 */
export async function takeLead(node: SimulatedNode): Promise<void> {
  const { client } = node.etcd.server;
  const { memberId, leader } = await told(client.status());
  if (memberId === leader) return;
  for (const { etcd: { server } } of node.cluster.nodes) {
    if (!server.isRunning()) continue;
    const id = await told(server.client.memberId());
    if (id === leader) return await told(server.client.moveLeader(memberId));
  }
}
