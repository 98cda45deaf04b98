/** Simulated clusters for tests; real sockets on loopback. */

import {
  type ClusterOptions,
  type RunningCluster,
  startCluster,
} from "../simulator/cluster/cluster.ts";
import { newClusterSecrets } from "../simulator/cluster/make_cluster.ts";
import {
  noStore,
  type SavedCluster,
} from "../simulator/cluster/saved_state.ts";
import { tag } from "./_version.ts";

/** Keys and certificates; making them takes as long as all else that a cluster starts with. */
let shared: Promise<SavedCluster> | undefined;

/** True while a cluster has them. */
let isTaken = false;

/**
 * Runs a test against a cluster and stops it afterwards. Clusters that follow one another have the same keys and
 * certificates, unless they have a clock or a store of their own.
 *
 * @param options Default: one control plane; nodes listen on 127.0.0.1, on free ports, and know each other as 10.5.0.2 and up.
 * @param test What to do while it runs.
 */
export async function withCluster(
  options: ClusterOptions,
  test: (cluster: RunningCluster) => Promise<void>,
): Promise<void> {
  const isOwner = !isTaken && options.clock === undefined &&
    options.store === undefined;
  isTaken ||= isOwner;
  try {
    const cluster = await startCluster({
      ...isOwner && { secrets: await shareSecrets() },
      ...options,
      release: { tag, ...options.release },
    });
    try {
      await test(cluster);
    } finally {
      await cluster.stop();
    }
  } finally {
    if (isOwner) isTaken = false;
  }
}

function shareSecrets(): Promise<SavedCluster> {
  return shared ??= newClusterSecrets(noStore, { now: () => Date.now() });
}
