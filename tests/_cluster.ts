/** Simulated clusters for tests; real sockets on loopback. */

import {
  type ClusterOptions,
  type RunningCluster,
  startCluster,
} from "../simulator/cluster/cluster.ts";
import { tag } from "./_version.ts";

/**
 * Runs a test against a cluster and stops it afterwards.
 *
 * @param options Default: one control plane; nodes listen on 127.0.0.1, on free ports, and know each other as 10.5.0.2 and up.
 * @param test What to do while it runs.
 */
export async function withCluster(
  options: ClusterOptions,
  test: (cluster: RunningCluster) => Promise<void>,
): Promise<void> {
  const cluster = await startCluster({
    ...options,
    release: { tag, ...options.release },
  });
  try {
    await test(cluster);
  } finally {
    await cluster.stop();
  }
}
