/** The cluster as the arbiter needs it: who runs the control plane, and how etcd is. */

import type { NodeClient } from "../../transport/client.ts";
import { clusterMembers, type Member } from "../../transport/members.ts";
import { domain } from "../../dialect.ts";
import type { Nodes } from "../../transport/nodes.ts";
import type { OperationClock } from "../operation.ts";
import type { Kubernetes } from "../kubernetes/client.ts";
import {
  type ClusterAccess,
  connectKubernetes,
} from "../kubernetes/connect.ts";
import { readKubeconfig } from "../kubernetes/kubeconfig.ts";
import type { Surroundings } from "./arbiter.ts";
import { readEtcd } from "./etcd_facts.ts";
import { readSpec } from "./read_spec.ts";

/** What the arbiter asks of a cluster. */
export type ClusterView =
  & Pick<
    Surroundings,
    "isControlPlane" | "readEtcd"
  >
  & {
    /** Members of the cluster, as they were at the first question. */
    readonly members: () => Promise<readonly Member[]>;
    /** Client of any node of the cluster, by name or address. */
    readonly at: (node: string) => Promise<NodeClient>;
    /** Name of the cluster; `undefined` when no node tells. */
    readonly name: () => Promise<string | undefined>;
    /** Client of a node that may have lost its configuration, past all endpoints. */
    readonly unconfigured: (node: string) => Promise<NodeClient>;
    /** Its Kubernetes, as an administrator; closed with the view. */
    readonly kubernetes: () => Promise<Kubernetes>;
    /** Connects to one of its API servers; absent where that is done over the network. */
    readonly openKubernetes?: NonNullable<ClusterAccess["open"]>;
  };

/**
 * Looks at the cluster of the selected nodes.
 *
 * Who calls it closes it, which ends the connection to Kubernetes, if there is one.
 *
 * @param nodes The selected nodes; others are asked as well.
 * @param clock Time.
 * @param open Connects to an API server of Kubernetes; default over the network.
 */
export function viewCluster(
  nodes: Nodes,
  clock: OperationClock,
  open?: ClusterAccess["open"],
): ClusterView & Disposable {
  // Frozen: a member that joins meanwhile is not touched.
  let known: Promise<readonly Member[]> | undefined;
  const members = () => known ??= nodes.endpoint().then(clusterMembers);

  async function isControlPlane(node: string): Promise<boolean> {
    return memberNamed(await members(), node)?.controlPlane ?? true;
  }

  async function name(): Promise<string | undefined> {
    const spec = await readSpec(await nodes.endpoint(), {
      namespace: "cluster",
      type: `Infos.cluster.${domain}`,
      id: "current",
    });
    const known = spec?.clusterName;
    return typeof known === "string" ? known : undefined;
  }

  async function unconfigured(node: string): Promise<NodeClient> {
    // A host name may be known to the cluster only.
    const address = memberNamed(await members(), node)?.address;
    return nodes.unconfigured(address ?? node);
  }

  const opening = open === undefined ? {} : { open };
  let connected: Kubernetes | undefined;

  async function kubernetes(): Promise<Kubernetes> {
    const addresses = (await members())
      .flatMap(({ controlPlane, address }) => controlPlane ? [address] : []);
    return connected ??= connectKubernetes({
      addresses,
      ...opening,
      kubeconfigs: addresses.map((address) => async () =>
        await readKubeconfig(await nodes.at(address))
      ),
    });
  }

  return {
    members,
    name,
    kubernetes,
    ...(open === undefined ? {} : { openKubernetes: open }),
    [Symbol.dispose]: () => connected?.[Symbol.dispose](),
    unconfigured,
    at: nodes.at,
    isControlPlane,
    async readEtcd() {
      const all = await members();
      const clients = await Promise.all(
        all.filter(({ controlPlane }) => controlPlane)
          .map(({ address }) => nodes.at(address)),
      );
      const { facts, memberOf } = await readEtcd(clients, clock.now());
      const byName = new Map<string, string>();
      for (const [address, id] of memberOf) {
        byName.set(address, id);
        const hostname = memberNamed(all, address)?.hostname;
        if (hostname !== undefined) byName.set(hostname, id);
      }
      return { facts, memberOf: byName };
    },
  };
}

/**
 * Finds a member by the name a user gives it.
 *
 * @param members Members of the cluster.
 * @param node Address or host name.
 */
export function memberNamed(
  members: readonly Member[],
  node: string,
): Member | undefined {
  return members.find(({ address, hostname }) =>
    address === node || hostname === node
  );
}
