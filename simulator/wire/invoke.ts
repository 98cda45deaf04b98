/** One call to one node: roles, handler, and what happens when the node goes away. */

import { RpcError } from "../../errors.ts";
import { spoiled } from "../faults/call_faults.ts";
import { strikes } from "../faults/faults.ts";
import type { Route } from "./handlers.ts";
import { checksRoles, handlerOf } from "./handler_of.ts";
import { waitedFor } from "./shutdown_streams.ts";
import { isMutating } from "./call_log.ts";
import type { SimulatedNode } from "../node/node.ts";
import { authorize, type Roles } from "../node/roles.ts";

/** A call without its addressing. */
export interface Invocation {
  /** Method that is called. */
  readonly route: Route;
  /** Decoded request. */
  readonly request: unknown;
  /** Roles of the caller. */
  readonly roles: Roles;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
}

/**
 * Answers a call, with all that faults do to it.
 *
 * @param node Node that answers.
 * @returns Messages, perhaps with fields left out; one for a unary method. Bytes are no message.
 * @throws {RpcError} What the node says, or UNAVAILABLE when it goes down before it is done.
 */
export function invoke(
  node: SimulatedNode,
  invocation: Invocation,
): AsyncIterable<unknown> {
  const { route, signal } = invocation;
  return node.faults.size === 0
    ? handle(node, invocation)
    : spoiled({ node, route, signal }, handle(node, invocation));
}

async function* handle(
  node: SimulatedNode,
  { route, request, roles: own, signal }: Invocation,
): AsyncGenerator<unknown> {
  const { definition, path } = route;
  const boot = node.boot.power.signal;
  const roles = strikes(node, "rbac-reader", definition.name)
    ? readerOnly
    : own;
  const handler = handlerOf(node, route);
  if (checksRoles(node)) {
    authorize(path, roles, { bare: !node.disk.configured });
  }
  if (!handler) throw unimplemented(definition.name);
  const call = { node, roles, signal: AbortSignal.any([signal, boot]) };
  node.cluster.onCall?.({
    node,
    method: definition.name,
    mutating: isMutating(route, request),
    roles,
  });
  const result = handler(request, call);
  const messages = definition.responseStream
    ? result as AsyncIterable<unknown> // as the definition says
    : waitedFor(node, [await result]);
  for await (const message of messages) {
    if (boot.aborted) break;
    yield message;
  }
  if (boot.aborted) {
    throw new RpcError("UNAVAILABLE", "error reading from server: EOF");
  }
}

const readerOnly: Roles = new Set(["os:reader"]);

function unimplemented(method: string): RpcError {
  return new RpcError("UNIMPLEMENTED", `method ${method} not implemented`);
}
