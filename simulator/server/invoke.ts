/** A call to a node: roles, handler, and interruption by a node that goes down. */

import { clientConfigField } from "../../talos.ts";
import { RpcError } from "../../errors.ts";
import { applyCallFaults } from "../faults/call_faults.ts";
import { connectionBroken, triggerFault } from "../state/faults.ts";
import type { SimulatedNode } from "../state/node.ts";
import { findMinor } from "../release/release.ts";
import { authorize, type Roles } from "../state/roles.ts";
import {
  behaviorVersions,
  callVersions,
  includes,
  replyVersions,
  requestVersions,
  withoutFields,
} from "../release/version_facts.ts";
import type { AnyHandler, MethodRoute } from "../services/handlers.ts";
import { trackReply } from "../node/shutdown_streams.ts";

/** A call without its target nodes. */
export interface Invocation {
  readonly route: MethodRoute;
  readonly request: unknown;
  readonly roles: Roles;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Serves a call with all faults applied. Returns messages, possibly with omitted fields; one for a unary method. Bytes
 * are an invalid message. Throws `RpcError`: the node's error, or UNAVAILABLE if it goes down during the call.
 */
export function invoke(
  node: SimulatedNode,
  invocation: Invocation,
): AsyncIterable<unknown> {
  const { route, signal } = invocation;
  return node.faults.size === 0
    ? handle(node, invocation)
    : applyCallFaults({ node, route, signal }, handle(node, invocation));
}

async function* handle(
  node: SimulatedNode,
  { route, request, roles: given, signal }: Invocation,
): AsyncGenerator<unknown> {
  const { definition, path } = route;
  const boot = node.boot.power.signal;
  const minor = findMinor(node);
  const roles = triggerFault(node, "rbac-reader", definition.name)
    ? readerOnly
    : given;
  const handler = findHandler(node, minor, route);
  if (checksRoles(node, minor)) {
    authorize(path, roles, { bare: !node.disk.configured });
  }
  if (!handler) throw unimplementedError(definition.name);
  const call = {
    node,
    roles,
    // Lazy, as few handlers wait.
    get signal() {
      return AbortSignal.any([signal, boot]);
    },
  };
  node.cluster.onCall?.({
    node,
    method: definition.name,
    mutating: isMutating(route, request),
    roles,
  });
  const own = path.slice(1);
  const result = handler(
    withoutFields(request, requestVersions[own], minor),
    call,
  );
  const messages = definition.responseStream
    ? result as AsyncIterable<unknown> // per the method definition
    : trackReply(node, [await result]);
  for await (const message of messages) {
    if (boot.aborted) break;
    yield withoutFields(message, replyVersions[own], minor);
  }
  if (boot.aborted) {
    throw connectionBroken();
  }
}

const readerOnly: Roles = new Set(["os:reader"]);

function unimplementedError(method: string): RpcError {
  return new RpcError("UNIMPLEMENTED", `method ${method} not implemented`);
}

/**
 * Finds the handler of a method in the node's state. Throws `RpcError`: UNIMPLEMENTED if the service
 * does not exist in that state.
 */
function findHandler(
  node: SimulatedNode,
  minor: number,
  { path, handler, isKnown }: MethodRoute,
): AnyHandler | undefined {
  const [, service = "", method = ""] = path.split("/");
  const isOpen = checksRoles(node, minor);
  const isThere = isKnown && includes(callVersions[service], minor);
  if (!isThere || !isOpen && !services.has(service)) {
    throw new RpcError("UNIMPLEMENTED", `unknown service ${service}`);
  }
  if (!includes(callVersions[`${service}/${method}`], minor)) {
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
 * True if a node checks the caller's roles: not without a configuration up to v1.12, where a few methods are public.
 */
function checksRoles({ disk }: SimulatedNode, minor: number): boolean {
  return disk.configured ||
    includes(behaviorVersions.rolesInMaintenance, minor);
}

const services: ReadonlySet<string> = new Set([
  "machine.MachineService",
  "storage.StorageService",
  "cosi.resource.State",
]);

const onlyThroughTunnel = "API is not implemented in maintenance mode";

/** Error messages of unavailable methods. */
const refusals: ReadonlyMap<string, string> = new Map([
  ...["MetaDelete", "MetaWrite", "Reset", "Upgrade", "Version"].map((name) =>
    [`/machine.MachineService/${name}`, onlyThroughTunnel] as const
  ),
  [
    "/machine.MachineService/GenerateClientConfiguration",
    `client configuration (${clientConfigField}) can't be generated in the maintenance mode`,
  ],
]);

/** Read-only methods, and prefixes of such. */
const reading =
  /^(?:Get|List|Watch|Version|Hostname|Memory|Mounts|Processes|Containers|Stats|SystemStat|LoadAvg|CPU|Disk|Dmesg|Events|Logs|Read|Copy|Netstat|NetworkDeviceStats|PacketCapture|ServiceList|ImageList|Time|Kubeconfig|Generate|EtcdMemberList|EtcdStatus|EtcdAlarmList|EtcdSnapshot|EtcdDowngradeValidate|HealthCheck|Verify|Controller)/;

/** True if a call may change something; a dry run does not. */
export function isMutating(
  { definition: { name } }: Pick<MethodRoute, "definition">,
  request: unknown,
): boolean {
  const { dryRun } = Object(request) as { readonly dryRun?: boolean };
  return !reading.test(name) && dryRun !== true;
}
