/** Which methods a node answers, with configuration and without. */

import { RpcError } from "../errors.ts";
import { clientConfigField } from "../dialect.ts";
import type { AnyHandler, Route } from "./handlers.ts";
import type { SimulatedNode } from "./node.ts";

/**
 * What answers a method in the state the node is in.
 *
 * @throws {RpcError} UNIMPLEMENTED when the service does not exist in that state.
 */
export function handlerOf(
  { configured }: SimulatedNode,
  { path, handler, isKnown }: Route,
): AnyHandler | undefined {
  const [, service = ""] = path.split("/");
  if (!isKnown || !configured && !services.has(service)) {
    throw new RpcError("UNIMPLEMENTED", `unknown service ${service}`);
  }
  if (configured || service !== "machine.MachineService") return handler;
  if (path === "/machine.MachineService/ApplyConfiguration") return handler;
  const text = refusals.get(path);
  return text === undefined ? undefined : () => {
    throw new RpcError("UNIMPLEMENTED", text);
  };
}

const services: ReadonlySet<string> = new Set([
  "machine.MachineService",
  "storage.StorageService",
  "cosi.resource.State",
]);

const onlyThroughTunnel = "API is not implemented in maintenance mode";

/** Methods that say why they are not there. */
const refusals: ReadonlyMap<string, string> = new Map([
  ...["MetaDelete", "MetaWrite", "Reset", "Upgrade", "Version"].map((name) =>
    [`/machine.MachineService/${name}`, onlyThroughTunnel] as const
  ),
  [
    "/machine.MachineService/GenerateClientConfiguration",
    `client configuration (${clientConfigField}) can't be generated in the maintenance mode`,
  ],
]);
