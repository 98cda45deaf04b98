/** Handlers of a simulated node: one function per method. */

import type {
  Decoded,
  Definition,
  DefinitionMethod,
  Partially,
} from "../../transport/call/client.ts";
import type { MachineServiceDefinition } from "../../transport/gen/machine.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { Roles } from "../state/roles.ts";

/** A call, as seen by the serving node. */
export interface NodeCall {
  readonly node: SimulatedNode;
  readonly roles: Roles;
  /** Aborts when the caller disconnects or the node goes down. */
  readonly signal: AbortSignal;
}

type HandlerResult<M extends DefinitionMethod> = M["responseStream"] extends
  true ? AsyncIterable<Partially<M["responseType"]>>
  : Partially<M["responseType"]> | Promise<Partially<M["responseType"]>>;

type HandlerRequest<M extends DefinitionMethod> = M["requestStream"] extends
  true ? AsyncIterable<Decoded<M["requestType"]>>
  : Decoded<M["requestType"]>;

/** Handlers of a service; omitted fields of a reply are empty. */
export type Handlers<D extends Definition> = {
  readonly [Name in keyof D["methods"]]?: (
    request: HandlerRequest<D["methods"][Name]>,
    call: NodeCall,
  ) => HandlerResult<D["methods"][Name]>;
};

/** Handlers of `MachineService`. */
export type MachineHandlers = Handlers<typeof MachineServiceDefinition>;

// Covers requests and responses of all methods.
// deno-lint-ignore no-explicit-any
export type AnyHandler = (request: any, call: NodeCall) => unknown;

/** A registered method. */
export interface MethodRoute {
  /** HTTP/2 path: `/machine.MachineService/Version`. */
  readonly path: string;
  readonly definition: DefinitionMethod;
  /** Handler; `undefined` if the node does not implement it. */
  readonly handler: AnyHandler | undefined;
  /** False if nodes of this release do not have the service. */
  readonly isKnown: boolean;
}

/** Lists the routes of a service. `handlers`: implemented methods; omitted if nodes do not have the service. */
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
