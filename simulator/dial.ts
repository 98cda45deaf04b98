/** How one node reaches another. */

import { RpcError } from "../errors.ts";
import type { SimulatedNode } from "./node.ts";

const port = 50000;

/**
 * Finds the node a call is to be forwarded to.
 *
 * @param from Node that forwards.
 * @param target Address or host name.
 * @throws {RpcError} UNAVAILABLE when there is no such node, or it does not answer.
 */
export function dial(from: SimulatedNode, target: string): SimulatedNode {
  const node = from.cluster.nodes.find(({ identity }) =>
    identity.address === target || identity.hostname === target
  );
  if (!node && !isAddress(target)) {
    throw unavailable("name resolver error: produced zero addresses");
  }
  const host = target.includes(":") ? `[${target}]` : target;
  if (!node) {
    throw dialError(`dial tcp ${host}:${port}: connect: no route to host`);
  }
  if (!node.reachable) {
    throw dialError(`dial tcp ${host}:${port}: connect: connection refused`);
  }
  return node;
}

function dialError(cause: string): RpcError {
  return unavailable(
    `connection error: desc = "transport: Error while dialing: ${cause}"`,
  );
}

function unavailable(message: string): RpcError {
  return new RpcError("UNAVAILABLE", message);
}

function isAddress(target: string): boolean {
  return target.includes(":") || /^[0-9.]+$/.test(target);
}
