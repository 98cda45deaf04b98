/** The cluster as workflows see it, over real sockets to simulated nodes. */

import { decodePrivateKey, encodePkcs8 } from "../../pki/private_key.ts";
import type {
  ClusterOptions,
  RunningCluster,
} from "../../simulator/cluster/cluster.ts";
import { openNodes } from "../../transport/node/open_nodes.ts";
import { pause } from "../../lib/pause.ts";
import {
  type ClusterView,
  viewCluster,
} from "../../workflows/operations/cluster_view.ts";
import type { OperationClock } from "../../lib/clock.ts";
import { withCluster } from "../_cluster.ts";

/** A cluster, and what workflows get of it. */
export interface Viewed {
  readonly running: RunningCluster;
  /** Addresses of its nodes, control planes first. */
  readonly names: readonly string[];
  readonly cluster: ClusterView;
  /** Never aborts before the test ends. */
  readonly signal: AbortSignal;
  readonly clock: OperationClock;
}

/**
 * Runs a test against a cluster.
 *
 * @param options The cluster; all its nodes are selected.
 * @param test What to do while it runs.
 */
export async function withView(
  options: ClusterOptions,
  test: (viewed: Viewed) => Promise<void>,
): Promise<void> {
  await withCluster(options, async (running) => {
    const stop = new AbortController();
    const clock = { now: () => Date.now(), sleep: pause };
    const names = running.nodes.map(({ identity }) => identity.address);
    // The runtime knows no labels but its own.
    const key = decodePrivateKey(running.adminIdentity.key);
    const nodes = openNodes({
      endpoints: running.endpoints,
      nodes: names,
      identity: { ...running.adminIdentity, key: encodePkcs8(key) },
      nodeTimeoutMs: 10_000,
      env: () => undefined,
      note: () => {},
      signal: stop.signal,
    });
    using cluster = viewCluster(nodes, clock);
    try {
      const { signal } = stop;
      await test({ running, names, cluster, signal, clock });
    } finally {
      stop.abort();
      nodes.close();
    }
  });
}
