/** Methods that only control planes serve. */

import { RpcError } from "../../errors.ts";
import type { SimulatedNode } from "../state/node.ts";

/**
 * Refuses a call to a worker, or to a node without a configuration.
 *
 * @param api Name of the API in the node's error.
 * @throws {RpcError} UNIMPLEMENTED.
 */
export function requireControlPlane(
  { identity, disk }: SimulatedNode,
  api: string,
): void {
  if (disk.configured && identity.machineType === "controlplane") return;
  throw new RpcError(
    "UNIMPLEMENTED",
    disk.configured
      ? `${api} is only available on control plane nodes`
      : `machine type is not set, cannot use ${api} API`,
  );
}
