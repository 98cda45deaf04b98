/** Which methods a node answers, with configuration and without. */

import { RpcError } from "../../errors.ts";
import { clientConfigField } from "../../dialect.ts";
import type { AnyHandler, Route } from "./handlers.ts";
import type { SimulatedNode } from "../node/node.ts";
import { minorOf } from "../node/running_release.ts";

/**
 * What answers a method in the state the node is in.
 *
 * @throws {RpcError} UNIMPLEMENTED when the service does not exist in that state.
 */
export function handlerOf(
  node: SimulatedNode,
  { path, handler, isKnown }: Route,
): AnyHandler | undefined {
  const [, service = "", method = ""] = path.split("/");
  const isOpen = checksRoles(node);
  const isThere = isKnown && minorOf(node) >= (since.get(service) ?? 0);
  if (!isThere || !isOpen && !services.has(service)) {
    throw new RpcError("UNIMPLEMENTED", `unknown service ${service}`);
  }
  if (newMethods.has(path) && minorOf(node) < 11) {
    const text = `unknown method ${method} for service ${service}`;
    throw new RpcError("UNIMPLEMENTED", text);
  }
  if (isOpen || service !== "machine.MachineService") return handler;
  if (path === "/machine.MachineService/ApplyConfiguration") return handler;
  const text = refusals.get(path);
  return text === undefined ? undefined : () => {
    throw new RpcError("UNIMPLEMENTED", text);
  };
}

/**
 * Whether the roles of a caller decide what a node answers: not without a
 * configuration, up to v1.12, where few methods are there and those for anybody.
 */
export function checksRoles(node: SimulatedNode): boolean {
  return node.disk.configured || minorOf(node) >= 13;
}

/** Services that not all releases have, with the minor version of the first that has them. */
const since: ReadonlyMap<string, number> = new Map([
  ["machine.ImageService", 13],
  ["machine.LifecycleService", 13],
]);

/** Methods that nodes have since v1.11. */
const newMethods: ReadonlySet<string> = new Set([
  "/machine.MachineService/CPUFreqStats",
  "/machine.MachineService/EtcdDowngradeCancel",
  "/machine.MachineService/EtcdDowngradeEnable",
  "/machine.MachineService/EtcdDowngradeValidate",
  "/storage.StorageService/BlockDeviceWipe",
]);

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
