/** How a node reaches members of etcd. */

import { sameBytes } from "../../pki/der.ts";
import type { SimulatedNode } from "../node/node.ts";
import { authorityOfEtcd } from "./authority.ts";
import type { EtcdClient } from "./etcd.ts";
import { EtcdError, notServed } from "./etcd_error.ts";

/**
 * Asks a member of the cluster's etcd, whichever serves.
 *
 * @param ask What to ask it; rejected with UNAVAILABLE, the next one is asked.
 * @throws {EtcdError} When none serves, or the one that does refuses.
 */
export async function askMember<T>(
  node: SimulatedNode,
  ask: (client: EtcdClient) => Promise<T>,
): Promise<T> {
  let failure = notServed(node.etcd.server.endpoint());
  for (const other of await membersAround(node)) {
    try {
      // The next one is for the case that this one does not serve.
      return await ask(other.etcd.server.client);
    } catch (error) {
      const isAbsent = error instanceof EtcdError &&
        error.code === "UNAVAILABLE";
      if (!isAbsent) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** Control planes whose etcd this node trusts and that run it, healthy ones first. */
async function membersAround(
  node: SimulatedNode,
): Promise<readonly SimulatedNode[]> {
  const { certificate } = await authorityOfEtcd(node);
  const running = node.cluster.nodes.filter(({ etcd }) =>
    etcd.server.isRunning()
  );
  const trusted = await Promise.all(running.map(async (one) => {
    const other = await authorityOfEtcd(one);
    return sameBytes(other.certificate, certificate) ? [one] : [];
  }));
  const isHealthy = ({ boot: { services } }: SimulatedNode) =>
    services.get("etcd")?.health.healthy ?? false;
  return trusted.flat().toSorted((a, b) =>
    Number(isHealthy(b)) - Number(isHealthy(a))
  );
}
