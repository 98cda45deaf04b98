/** Context of health conditions: nodes and Kubernetes. */

import { domain } from "../../../talos.ts";
import { OsctlError } from "../../../errors.ts";
import { allMembers } from "../../../transport/node/members.ts";
import type { Kubernetes } from "../../kubernetes/client.ts";
import { connectKubernetes } from "../../kubernetes/connect.ts";
import { readKubeconfig } from "../../kubernetes/kubeconfig.ts";
import {
  askControlPlanes,
  type ClusterView,
} from "../../operations/cluster_view.ts";
import { readSpecs } from "../../../transport/node/read_resource.ts";
import type { Check, CheckContext } from "../check.ts";

/** Context of health conditions. */
export interface HealthContext
  extends Pick<CheckContext, "cluster" | "signal"> {
  readonly nodes: HealthNodes;
  readonly kubernetes: () => Promise<Kubernetes>;
  /** Removed node, by name or address: ignored in Kubernetes. */
  readonly gone?: string;
  /** True to ignore unexpected Kubernetes nodes with another operating system, and their pods. */
  readonly skipForeign?: boolean;
}

/** One condition, named by its goal: `etcd to be healthy`. */
export interface HealthCheck extends Pick<Check<HealthContext>, "name"> {
  /** Timeout for this condition, in milliseconds. */
  readonly limitMs: number;
  /** Checks once. Throws `OsctlError` when the check fails to run, which counts as not yet. */
  readonly run: (context: HealthContext) => ReturnType<Check["run"]>;
}

/** An expected node. */
export interface HealthNode {
  readonly address: string;
  readonly addresses: readonly string[];
}

/** Expected nodes. */
export interface HealthNodes {
  readonly controlPlanes: readonly HealthNode[];
  readonly workers: readonly HealthNode[];
}

/** Nodes named by the user. */
export interface NamedNodes {
  readonly controlPlanes: readonly string[];
  readonly workers: readonly string[];
}

/** Expected nodes from the user's list; each has one address. */
export function namedNodes(
  { controlPlanes, workers }: NamedNodes,
): HealthNodes {
  const node = (address: string) => ({ address, addresses: [address] });
  return {
    controlPlanes: [...new Set(controlPlanes)].map(node),
    workers: [...new Set(workers)].map(node),
  };
}

/** Finds the nodes of a cluster in its member list. Throws `OsctlError` if no node reports the members. */
export async function discoveredNodes(
  cluster: Pick<ClusterView, "members" | "at">,
): Promise<HealthNodes> {
  const members = await cluster.members();
  const addresses = await readAddresses(cluster);
  const listNodes = (controlPlane: boolean) =>
    members.filter((member) => member.controlPlane === controlPlane)
      .map(({ address, hostname }) => ({
        address,
        addresses: addresses.get(hostname) ?? [address],
      }));
  const found = { controlPlanes: listNodes(true), workers: listNodes(false) };
  const hint = "Name the nodes with --control-plane-nodes and --worker-nodes";
  if (found.controlPlanes.length === 0) {
    throw new OsctlError("The cluster has no member that is a control plane", {
      hint,
    });
  }
  allMembers(members, hint);
  return found;
}

/** Addresses to call nodes at. */
export function askedAt(nodes: readonly HealthNode[]): readonly string[] {
  return nodes.map(({ address }) => address);
}

const port = 6443;

/** A Kubernetes client that connects at its first use. */
interface LazyKubernetes extends Disposable {
  readonly open: () => Promise<Kubernetes>;
}

/**
 * Connects to Kubernetes when it is first used, with the kubeconfig of a control plane.
 *
 * @param endpoint `HOST` or `HOST:PORT`, with or without `https://`; omitted, that of the kubeconfig.
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
          open,
          server: endpoint && formatServer(endpoint),
        }),
      ),
    [Symbol.dispose]: () => made?.[Symbol.dispose](),
  };
}

/** URL of a Kubernetes API. `endpoint`: `HOST` or `HOST:PORT`, with or without `https://`. */
export function formatServer(endpoint: string): string {
  const host = endpoint.replace(/^https:\/\//, "").replace(/\/+$/, "");
  const hasPort = /(?:^[^:]*|\]):\d+$/.test(host);
  if (hasPort) return `https://${host}`;
  const isBare = host.includes(":") && !host.startsWith("[");
  return `https://${isBare ? `[${host}]` : host}:${port}`;
}

/** All addresses of members by host name, from the first control plane that answers; none if none does. */
async function readAddresses(
  cluster: Pick<ClusterView, "members" | "at">,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const place = { namespace: "cluster", type: `Members.cluster.${domain}` };
  try {
    const specs = await askControlPlanes(
      cluster,
      (client) => readSpecs(client, place),
      "Cannot list the addresses of the cluster",
    );
    return new Map(
      [...specs?.values() ?? []].map(({ hostname, addresses }) => [
        String(hostname),
        Array.isArray(addresses) ? addresses.map(String) : [],
      ]),
    );
  } catch (error) {
    if (error instanceof OsctlError) return new Map();
    throw error;
  }
}
