/** State of etcd on one control plane: service, data directory, boot. */

import { ConnectError, RpcError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { single } from "../../../transport/call/reply.ts";
import { readBootId } from "../../../transport/stream/boot_id.ts";
import type { NodeContext } from "../operation.ts";
import { readDataDir } from "../../etcd/data_dir.ts";
import { countQuorum } from "../../etcd/quorum.ts";

/** State of etcd on a node. */
export interface EtcdOnNode {
  /** State of the service: `Preparing`, `Running`; empty if there is none. */
  readonly service: string;
  readonly healthy: boolean;
  readonly dataDir: "empty" | "data" | "unknown";
  /** Current boot id; null when it may not be read. */
  readonly bootId: string | null;
}

const deadlineMs = 5_000;

/** Reads the state of etcd on a node. */
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
    dataDir: judgeDataDir(state, dataDir),
    bootId: bootId ?? null,
  };
}

/** Reads the state of etcd on a node that may be down; `undefined` if it does not answer. */
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

/** The state of the service is more reliable than the folder listing. */
function judgeDataDir(
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

/** A control plane with its state of etcd. */
export interface AssessedNode {
  readonly node: string;
  readonly reachable: boolean;
  /** State of the service; empty if the node did not answer. */
  readonly service: string;
  readonly dataDir: EtcdOnNode["dataDir"];
}

interface Assessment {
  /** True when some member follows a leader. */
  readonly quorum: boolean;
  /** Voters, as the first answer lists them; 0 without an answer. */
  readonly voters: number;
  readonly healthy: number;
  /** Quorum of the voters. */
  readonly needed: number;
  readonly nodes: readonly AssessedNode[];
}

/**
 * Reads the state of etcd on all control planes.
 *
 * A member that follows a leader has had contact with a majority recently, even if the others do not answer here.
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
