/** A simulated cluster as `state.yaml` describes it. */

import type { SimulatedNode } from "../simulator/node/node.ts";
import type { LocalCluster } from "./state.ts";

/** What runs. */
export interface Running {
  /** Subnet of the nodes. */
  readonly cidr: string;
  /** All nodes, control planes first. */
  readonly nodes: readonly Pick<SimulatedNode, "identity">[];
  /** Port of every node. */
  readonly ports: readonly number[];
}

/**
 * Describes a simulated cluster.
 *
 * @param name Name of the cluster.
 * @param running Left out, it was never started.
 */
export function embeddedState(name: string, running?: Running): LocalCluster {
  const nodes = (running?.nodes ?? []).map(({ identity }, index) => ({
    id: identity.address,
    uuid: identity.uuid,
    name: identity.hostname,
    type: identity.machineType,
    nanocpus: 0,
    memory: 0,
    disksize: 0,
    ips: [identity.address],
    apiport: running?.ports[index] ?? 0,
  }));
  const [first] = nodes;
  return {
    provisionername: "embedded",
    clusterinfo: {
      clustername: name,
      network: {
        name,
        cidrs: running === undefined ? [] : [running.cidr],
        gatewayaddrs: [],
        mtu: 65_536,
      },
      nodes,
      kubernetesendpoint: first === undefined ? "" : `https://${first.id}:6443`,
    },
  };
}
