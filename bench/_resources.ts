/** A node that has very many resources. */

import { domain } from "../talos.ts";
import type { RunningCluster } from "../simulator/cluster/cluster.ts";

const count = 10_000;

/** Gives the first node of a cluster 10,000 addresses. */
export function fillWithAddresses({ nodes: [node] }: RunningCluster): void {
  const type = `AddressStatuses.net.${domain}`;
  for (let i = 0; i < count; i++) {
    const address = `10.${i >> 8}.${i & 255}.1/24`;
    node?.boot.resources.put(
      { namespace: "network", type, id: `eth0/${address}` },
      {
        spec: {
          address,
          linkIndex: i,
          linkName: "eth0",
          family: "inet4",
          scope: "global",
          flags: "permanent",
          priority: 0,
        },
      },
    );
  }
}
