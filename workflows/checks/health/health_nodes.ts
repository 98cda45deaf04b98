/** The nodes a healthy cluster has to have. */

import { domain } from "../../../dialect.ts";
import { OsctlError } from "../../../errors.ts";
import { allMembers } from "../../../transport/node/members.ts";
import type { ClusterView } from "../../operations/cluster_view.ts";
import { readSpecs } from "../../operations/read_resource.ts";

/** A node there has to be. */
export interface HealthNode {
  /** Address it is asked at. */
  readonly address: string;
  /** All its addresses. */
  readonly addresses: readonly string[];
}

/** Nodes there have to be. */
export interface HealthNodes {
  /** Control planes. */
  readonly controlPlanes: readonly HealthNode[];
  /** All others. */
  readonly workers: readonly HealthNode[];
}

/** Nodes as somebody names them. */
export interface NamedNodes {
  /** Addresses of control planes. */
  readonly controlPlanes: readonly string[];
  /** Addresses of all others. */
  readonly workers: readonly string[];
}

/** Nodes that are named; each has one address. */
export function namedNodes(
  { controlPlanes, workers }: NamedNodes,
): HealthNodes {
  const node = (address: string) => ({ address, addresses: [address] });
  return {
    controlPlanes: [...new Set(controlPlanes)].map(node),
    workers: [...new Set(workers)].map(node),
  };
}

/**
 * Finds the nodes of a cluster in the list of its members.
 *
 * @param cluster The cluster.
 * @throws {OsctlError} If nobody tells who is in it.
 */
export async function discoveredNodes(
  cluster: Pick<ClusterView, "members" | "at">,
): Promise<HealthNodes> {
  const members = await cluster.members();
  const addresses = await addressesOf(cluster, members);
  const nodesOf = (controlPlane: boolean) =>
    members.filter((member) => member.controlPlane === controlPlane)
      .map(({ address, hostname }) => ({
        address,
        addresses: addresses.get(hostname) ?? [address],
      }));
  const found = { controlPlanes: nodesOf(true), workers: nodesOf(false) };
  const hint = "Name the nodes with --control-plane-nodes and --worker-nodes";
  if (found.controlPlanes.length === 0) {
    throw new OsctlError("The cluster has no member that is a control plane", {
      hint,
    });
  }
  allMembers(members, hint);
  return found;
}

/** All nodes. */
export function allOf(
  { controlPlanes, workers }: HealthNodes,
): readonly HealthNode[] {
  return [...controlPlanes, ...workers];
}

/** Addresses nodes are asked at. */
export function askedAt(nodes: readonly HealthNode[]): readonly string[] {
  return nodes.map(({ address }) => address);
}

/** All addresses of members by host name, from the first that answers. */
async function addressesOf(
  cluster: Pick<ClusterView, "at">,
  members: Awaited<ReturnType<ClusterView["members"]>>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  for (const { address, controlPlane } of members) {
    if (!controlPlane) continue;
    try {
      // The next one is asked only when this one cannot answer.
      const specs = await readSpecs(await cluster.at(address), {
        namespace: "cluster",
        type: `Members.cluster.${domain}`,
      });
      return new Map(
        [...specs?.values() ?? []].map(({ hostname, addresses }) => [
          String(hostname),
          Array.isArray(addresses) ? addresses.map(String) : [],
        ]),
      );
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
    }
  }
  return new Map();
}
