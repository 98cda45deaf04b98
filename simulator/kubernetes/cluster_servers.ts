/** The API servers of a cluster. */

import type { Clock } from "../clock/clock.ts";
import { endpointOf, type Places } from "../cluster/node_address.ts";
import type { ClusterFacts } from "../node/node.ts";
import { createKubernetesApi, type KubernetesApi } from "./api.ts";
import { type ApiServer, apiServerPort, listenApi } from "./server.ts";

/** Kubernetes of a cluster that runs. */
export interface ClusterKubernetes extends Pick<KubernetesApi, "request"> {
  /** Stops its servers. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the API servers of a cluster whose nodes run, and tells the nodes where they are.
 *
 * Control planes with an address of their own have the usual port, and share
 * the cluster's endpoint; others have a port of their own.
 *
 * @param facts The cluster.
 * @param options Where nodes are, and the time.
 * @throws {Error} When one cannot listen in its place.
 */
export async function startKubernetes(
  facts: ClusterFacts,
  { places, clock }: { readonly places: Places; readonly clock: Clock },
): Promise<ClusterKubernetes> {
  const api = createKubernetesApi(facts, clock);
  facts.kubernetesApi = api;
  const servers: ApiServer[] = [];
  const urls = new Map<string, string>();
  const stop = async () => {
    await Promise.all(servers.map(({ close }) => close()));
  };
  api.live();
  try {
    for (const [index, node] of facts.nodes.entries()) {
      const place = places(index);
      const { address, machineType } = node.origin;
      if (place === undefined || machineType === "worker") continue;
      const { host } = place;
      const isOwn = host === address && place.port !== 0;
      const port = isOwn ? apiServerPort : 0;
      // One after the other: there are few of them.
      const server = await listenApi(node, api, { host, port });
      servers.push(server);
      const first = isOwn ? facts.nodes[0]?.origin.address ?? host : host;
      urls.set(
        address,
        `https://${endpointOf({ host: first, port: server.port })}`,
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }
  facts.kubernetesUrl = (address) => urls.get(address);
  return { request: api.request, stop };
}
