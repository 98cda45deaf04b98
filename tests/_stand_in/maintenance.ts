/** Stand-in node without a configuration, in maintenance mode. */

import { poll } from "../../lib/poll.ts";
import { untilRepliesSent } from "../../simulator/node/shutdown_streams.ts";
import { startCluster } from "../../simulator/cluster/cluster.ts";
import { apiPort } from "../../provisioners/embedded/serve.ts";
import type { StandInPlace } from "./configuration.ts";

/**
 * Simulates a node in maintenance mode until a client applies a configuration.
 *
 * @param host Listen address; default all, since nodes with a tunnel are configured through it.
 * @returns The configuration, YAML; `undefined` if the signal aborts first.
 */
export async function untilConfigured(
  { address, signal }: Pick<StandInPlace, "address" | "signal">,
  host = "::",
): Promise<string | undefined> {
  const place = { host, address, port: apiPort };
  const cluster = await startCluster({
    addresses: () => place,
    unconfigured: () => true,
    bootstrapped: false,
  });
  const [node] = cluster.nodes;
  try {
    for await (const _ of poll({ signal }, { everyMs: 50 })) {
      if (node?.disk.configured) {
        await untilRepliesSent(node);
        return node.disk.configuration;
      }
    }
    return undefined;
  } finally {
    await cluster.stop();
  }
}
