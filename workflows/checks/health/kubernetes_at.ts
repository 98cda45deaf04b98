/** Kubernetes of the nodes that are looked at, at an address somebody may have named. */

import { connectKubernetes } from "../../kubernetes/connect.ts";
import type { Kubernetes } from "../../kubernetes/client.ts";
import { readKubeconfig } from "../../kubernetes/kubeconfig.ts";
import type { ClusterView } from "../../operations/cluster_view.ts";
import { askedAt, type HealthNodes } from "./health_nodes.ts";

/** Port of API servers. */
const port = 6443;

/** A Kubernetes that is connected to when it is asked for. */
export interface LazyKubernetes extends Disposable {
  /** Connects, once. */
  readonly open: () => Promise<Kubernetes>;
}

/**
 * Makes the way to Kubernetes; nothing is sent before the first use.
 *
 * @param cluster Whose control planes make the kubeconfig.
 * @param nodes Nodes that are looked at.
 * @param endpoint `HOST` or `HOST:PORT`, with or without `https://`; left out, that of the kubeconfig.
 */
export function kubernetesAt(
  cluster: Pick<ClusterView, "at" | "openKubernetes">,
  nodes: Pick<HealthNodes, "controlPlanes">,
  endpoint: string | undefined,
): LazyKubernetes {
  const addresses = askedAt(nodes.controlPlanes);
  const { openKubernetes: open } = cluster;
  let made: Kubernetes | undefined;
  return {
    open: () =>
      Promise.resolve(
        made ??= connectKubernetes({
          kubeconfigs: addresses.map((address) => async () =>
            readKubeconfig(await cluster.at(address))
          ),
          addresses,
          ...(open === undefined ? {} : { open }),
          ...endpoint === undefined ? {} : { server: serverOf(endpoint) },
        }),
      ),
    [Symbol.dispose]: () => made?.[Symbol.dispose](),
  };
}

function serverOf(endpoint: string): string {
  const host = endpoint.replace(/^https:\/\//, "").replace(/\/+$/, "");
  const hasPort = /(?:^[^:]*|\]):\d+$/.test(host);
  if (hasPort) return `https://${host}`;
  const isBare = host.includes(":") && !host.startsWith("[");
  return `https://${isBare ? `[${host}]` : host}:${port}`;
}
