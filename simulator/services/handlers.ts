/** What a simulated node is made of on the wire: one function per method. */

import type {
  Decoded,
  Definition,
  DefinitionMethod,
  Partially,
} from "../../transport/call/client.ts";
import type { MachineServiceDefinition } from "../../transport/gen/machine.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { Roles } from "../state/roles.ts";

/** One call as the node that answers it sees it. */
export interface NodeCall {
  readonly node: SimulatedNode;
  readonly roles: Roles;
  /** Aborts when the caller is gone, or the node goes down. */
  readonly signal: AbortSignal;
}

/** What a handler gives back: one message, or all of a stream. */
type HandlerResult<M extends DefinitionMethod> = M["responseStream"] extends
  true ? AsyncIterable<Partially<M["responseType"]>>
  : Partially<M["responseType"]> | Promise<Partially<M["responseType"]>>;

/** What a handler is asked: one message, or all of a stream. */
type HandlerRequest<M extends DefinitionMethod> = M["requestStream"] extends
  true ? AsyncIterable<Decoded<M["requestType"]>>
  : Decoded<M["requestType"]>;

/** The methods of a service that nodes answer; fields removed from an answer are empty. */
export type Handlers<D extends Definition> = {
  readonly [Name in keyof D["methods"]]?: (
    request: HandlerRequest<D["methods"][Name]>,
    call: NodeCall,
  ) => HandlerResult<D["methods"][Name]>;
};

/** The methods of `MachineService` that nodes answer. */
export type MachineHandlers = Handlers<typeof MachineServiceDefinition>;

/** A handler of any method. */
// Requests and responses of all methods meet here.
// deno-lint-ignore no-explicit-any
export type AnyHandler = (request: any, call: NodeCall) => unknown;

/** A method a server has registered. */
export interface MethodRoute {
  /** HTTP/2 path: `/machine.MachineService/Version`. */
  readonly path: string;
  readonly definition: DefinitionMethod;
  /** What answers it; omitted, the node does not implement it. */
  readonly handler: AnyHandler | undefined;
  /** False when nodes of this release do not have the service at all. */
  readonly isKnown: boolean;
}

/** Lists the routes of a service. `handlers`: methods that are answered; omitted, nodes do not have the service. */
export function listRoutes<D extends Definition>(
  definition: D,
  handlers?: Handlers<D>,
): readonly MethodRoute[] {
  return Object.entries(definition.methods).map(([key, method]) => ({
    path: `/${definition.fullName}/${method.name}`,
    definition: method,
    handler: handlers?.[key as keyof D["methods"]],
    isKnown: handlers !== undefined,
  }));
}
