/** One call to one node: roles, handler, and what happens when the node goes away. */

import { clientConfigField } from "../../talos.ts";
import { RpcError } from "../../errors.ts";
import { applyCallFaults } from "../faults/call_faults.ts";
import { triggerFault } from "../state/faults.ts";
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

/** A call without its addressing. */
export interface Invocation {
  readonly route: MethodRoute;
  readonly request: unknown;
  readonly roles: Roles;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Answers a call, with all that faults do to it. Returns messages, perhaps with fields omitted; one
 * for a unary method. Bytes are no message. Throws `RpcError`: what the node says, or UNAVAILABLE when
 * it goes down before it is done.
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
  if (!handler) throw unimplemented(definition.name);
  const call = {
    node,
    roles,
    // Few handlers wait for anything.
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
    ? result as AsyncIterable<unknown> // as the definition says
    : trackReply(node, [await result]);
  for await (const message of messages) {
    if (boot.aborted) break;
    yield withoutFields(message, replyVersions[own], minor);
  }
  if (boot.aborted) {
    throw new RpcError("UNAVAILABLE", "error reading from server: EOF");
  }
}

const readerOnly: Roles = new Set(["os:reader"]);

function unimplemented(method: string): RpcError {
  return new RpcError("UNIMPLEMENTED", `method ${method} not implemented`);
}

/**
 * What answers a method in the state the node is in. Throws `RpcError`: UNIMPLEMENTED when the service
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
 * Whether the roles of a caller decide what a node answers: not without a
 * configuration, up to v1.12, where few methods are there and those for anybody.
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

/** Methods that change nothing, beside those whose names begin so. */
const reading =
  /^(?:Get|List|Watch|Version|Hostname|Memory|Mounts|Processes|Containers|Stats|SystemStat|LoadAvg|CPU|Disk|Dmesg|Events|Logs|Read|Copy|Netstat|NetworkDeviceStats|PacketCapture|ServiceList|ImageList|Time|Kubeconfig|Generate|EtcdMemberList|EtcdStatus|EtcdAlarmList|EtcdSnapshot|EtcdDowngradeValidate|HealthCheck|Verify|Controller)/;

/** Whether a call may change something. `request`: what is asked; a trial run changes nothing. */
export function isMutating(
  { definition: { name } }: Pick<MethodRoute, "definition">,
  request: unknown,
): boolean {
  const { dryRun } = Object(request) as { readonly dryRun?: boolean };
  return !reading.test(name) && dryRun !== true;
}
