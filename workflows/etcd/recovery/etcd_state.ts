/** How etcd is on one control plane: its service, its folder, its boot. */

import { ConnectError, RpcError } from "../../../errors.ts";
import { readBootId } from "../../../transport/stream/boot_id.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { single } from "../../../transport/call/reply.ts";
import { readDataDir } from "../../runbooks/node_parts.ts";

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
