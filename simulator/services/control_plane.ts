/** Methods that only control planes answer. */

import { RpcError } from "../../errors.ts";
import type { SimulatedNode } from "../state/node.ts";

/**
 * Refuses a call to a worker.
 *
 * @param api What was asked for, as nodes name it.
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
