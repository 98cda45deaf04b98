/** How much of etcd is left. */

import type { Site } from "../../operations/operation.ts";
import { quorumOf } from "../quorum.ts";
import { type EtcdOnNode, readEtcdIfReachable } from "./etcd_state.ts";

/** A control plane, and how etcd is there. */
export interface AssessedNode {
  /** Its address. */
  readonly node: string;
  /** Whether it answered. */
  readonly reachable: boolean;
  /** State of the service; empty when it did not answer. */
  readonly service: string;
  /** Whether there is data in its folder. */
  readonly dataDir: EtcdOnNode["dataDir"];
}

/** How much of etcd is left. */
export interface Assessment {
  /** Whether it still decides: some member follows a leader. */
  readonly quorum: boolean;
  /** Members with a vote, as the first that answered lists them; 0 when none answered. */
  readonly voters: number;
  /** Those that are well. */
  readonly healthy: number;
  /** How many have to be well. */
  readonly needed: number;
  /** All control planes. */
  readonly nodes: readonly AssessedNode[];
}

/**
 * Looks at etcd of all control planes.
 *
 * A member that follows a leader has heard of a majority lately, also when
 * the others do not answer here.
 */
export async function assessEtcd(
  { cluster, signal }: Pick<Site, "cluster" | "signal">,
): Promise<Assessment> {
  const members = await cluster.members();
  const planes = members.filter(({ controlPlane }) => controlPlane);
  const [{ facts }, nodes] = await Promise.all([
    cluster.readEtcd(),
    Promise.all(planes.map(async ({ address }) => {
      const state = await readEtcdIfReachable(
        await cluster.at(address),
        signal,
      );
      return {
        node: address,
        reachable: state !== undefined,
        service: state?.service ?? "",
        dataDir: state?.dataDir ?? "unknown" as const,
      };
    })),
  ]);
  const voters = facts.members.filter(({ learner }) => !learner).length;
  return {
    quorum: facts.healthy.length > 0,
    voters,
    healthy: facts.healthy.length,
    needed: quorumOf(voters),
    nodes,
  };
}
