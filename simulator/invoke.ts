/** One call to one node: roles, handler, and what happens when the node goes away. */

import { RpcError } from "../errors.ts";
import type { Route } from "./handlers.ts";
import type { SimulatedNode } from "./node.ts";
import { authorize, type Roles } from "./roles.ts";

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
 * Answers a call.
 *
 * @param node Node that answers.
 * @returns Messages, perhaps with fields left out; one for a unary method.
 * @throws {RpcError} What the node says, or UNAVAILABLE when it goes down before it is done.
 */
export async function* invoke(
  node: SimulatedNode,
  { route, request, roles, signal }: Invocation,
): AsyncGenerator<unknown> {
  const { definition, handler, path } = route;
  const boot = node.running.signal;
  authorize(path, roles);
  if (!handler) throw unimplemented(definition.name);
  const call = { node, roles, signal: AbortSignal.any([signal, boot]) };
  const result = handler(request, call);
  const messages = definition.responseStream
    ? result as AsyncIterable<unknown> // as the definition says
    : [await result];
  for await (const message of messages) {
    if (boot.aborted) break;
    yield message;
  }
  if (boot.aborted) {
    throw new RpcError("UNAVAILABLE", "error reading from server: EOF");
  }
}

function unimplemented(method: string): RpcError {
  return new RpcError("UNIMPLEMENTED", `method ${method} not implemented`);
}
