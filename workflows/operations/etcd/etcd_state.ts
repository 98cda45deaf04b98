/** How etcd is on one control plane: its service, its folder, its boot. */

import { ConnectError, RpcError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { single } from "../../../transport/call/reply.ts";
import { readBootId } from "../../../transport/stream/boot_id.ts";
import type { NodeContext } from "../operation.ts";
import { readDataDir } from "../../etcd/data_dir.ts";
import { countQuorum } from "../../etcd/quorum.ts";

/** How etcd is on a node. */
export interface EtcdOnNode {
  /** State of the service: `Preparing`, `Running`; empty when the node has none. */
  readonly service: string;
  /** Whether it runs and is healthy. */
  readonly healthy: boolean;
  /** Whether there is data in its folder. */
  readonly dataDir: "empty" | "data" | "unknown";
  /** Identity of the running boot; null when it may not be read. */
  readonly bootId: string | null;
}

const deadlineMs = 5_000;

/** Looks at etcd of a node. */
export async function readEtcdOnNode(
  client: NodeClient,
  signal: AbortSignal,
): Promise<EtcdOnNode> {
  const { messages } = await client.machine.serviceList({}, { deadlineMs });
  const service = single(messages).services.find(({ id }) => id === "etcd");
  const [dataDir, bootId] = await Promise.all([
    readDataDir(client),
    readBootId(client)(signal),
  ]);
  const state = service?.state ?? "";
  return {
    service: state,
    healthy: state === "Running" && service?.health?.healthy === true,
    dataDir: judged(state, dataDir),
    bootId: bootId ?? null,
  };
}

/** The same for nodes that may be away; `undefined` when it does not answer. */
export async function readEtcdIfReachable(
  client: NodeClient,
  signal: AbortSignal,
): Promise<EtcdOnNode | undefined> {
  try {
    return await readEtcdOnNode(client, signal);
  } catch (error) {
    const isOfNode = error instanceof RpcError || error instanceof ConnectError;
    if (isOfNode) return undefined;
    throw error;
  }
}

/** What the service does says more than what the node shows of its folder. */
function judged(
  service: string,
  shown: EtcdOnNode["dataDir"],
): EtcdOnNode["dataDir"] {
  if (service === "Running") return "data";
  return shown === "unknown" && isWaiting(service) ? "empty" : shown;
}

/** A service that waits for a bootstrap has found no data. */
export function isWaiting(service: string): boolean {
  return service === "Preparing" || service === "Waiting";
}

/** A control plane, and how etcd is there. */
export interface AssessedNode {
  readonly node: string;
  readonly reachable: boolean;
  /** State of the service; empty when it did not answer. */
  readonly service: string;
  /** Whether there is data in its folder. */
  readonly dataDir: EtcdOnNode["dataDir"];
}

interface Assessment {
  /** Whether it still decides: some member follows a leader. */
  readonly quorum: boolean;
  /** Members with a vote, as the first that answered lists them; 0 when none answered. */
  readonly voters: number;
  readonly healthy: number;
  /** Members needed for a quorum. */
  readonly needed: number;
  readonly nodes: readonly AssessedNode[];
}

/**
 * Looks at etcd of all control planes.
 *
 * A member that follows a leader has heard of a majority lately, also when
 * the others do not answer here.
 */
export async function assessEtcd(
  { cluster, signal }: Pick<NodeContext, "cluster" | "signal">,
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
    needed: countQuorum(voters),
    nodes,
  };
}
