/** Methods that only control planes serve. */

import { RpcError } from "../../errors.ts";
import type { SimulatedNode } from "../state/node.ts";

/**
 * Refuses a call to a worker.
 *
 * @param api Name of the API in the node's error.
 * @throws {RpcError} UNIMPLEMENTED on a worker.
 */
export function requireControlPlane(
  { identity }: SimulatedNode,
  api: string,
): void {
  if (identity.machineType === "controlplane") return;
  throw new RpcError(
    "UNIMPLEMENTED",
    `${api} is only available on control plane nodes`,
  );
}
