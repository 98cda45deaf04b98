/** Typed clients of one node, made from the generated service definitions. */

import type { CallOptions, MessageType, Method, Transport } from "./call.ts";
import { StateDefinition } from "../gen/cosi_resource.ts";
import { ClusterServiceDefinition } from "../gen/cluster.ts";
import { InspectServiceDefinition } from "../gen/inspect.ts";
import { MachineServiceDefinition } from "../gen/machine.ts";
import { ImageServiceDefinition } from "../gen/machine_image.ts";
import { LifecycleServiceDefinition } from "../gen/machine_lifecycle.ts";
import { SecurityServiceDefinition } from "../gen/securityapi.ts";
import { StorageServiceDefinition } from "../gen/storage.ts";
import { TimeServiceDefinition } from "../gen/time.ts";
import { answered } from "./reply.ts";

/** A generated service definition. */
export interface Definition {
  /** Package and name: `machine.MachineService`. */
  readonly fullName: string;
  /** Methods by camel-case name. */
  readonly methods: Readonly<Record<string, DefinitionMethod>>;
}

/** One method of a generated service definition. */
export interface DefinitionMethod {
  /** Name on the wire: `Version`. */
  readonly name: string;
  /** Type of the request or of each request. */
  // Message types of all shapes meet here.
  // deno-lint-ignore no-explicit-any
  readonly requestType: any;
  /** True when the client sends a stream. */
  readonly requestStream: boolean;
  /** Type of the response or of each response. */
  // deno-lint-ignore no-explicit-any
  readonly responseType: any;
  /** True when the server sends a stream. */
  readonly responseStream: boolean;
}

/** Message a generated type reads. */
export type Decoded<T> = T extends MessageType<infer Message> ? Message : never;
/** Shape from which a generated type can complete a message. */
export type Partially<T> = T extends {
  fromPartial(object: infer Shape): unknown;
} ? Shape
  : never;

/** What a client passes to a method. */
export type RequestOf<M extends DefinitionMethod> = M["requestStream"] extends
  true ? AsyncIterable<Partially<M["requestType"]>>
  : Partially<M["requestType"]>;

/** What a client gets from a method. */
export type AnswerOf<M extends DefinitionMethod> = M["responseStream"] extends
  true ? AsyncIterable<Decoded<M["responseType"]>>
  : Promise<Decoded<M["responseType"]>>;

/** A service as functions: unary ones give promises, streaming ones async iterables. */
export type ServiceClient<D extends Definition> = {
  readonly [Name in keyof D["methods"]]: (
    request: RequestOf<D["methods"][Name]>,
    options?: CallOptions,
  ) => AnswerOf<D["methods"][Name]>;
};

/** Services of a node by the name commands know them by. */
export const services = {
  machine: MachineServiceDefinition,
  storage: StorageServiceDefinition,
  time: TimeServiceDefinition,
  state: StateDefinition,
  cluster: ClusterServiceDefinition,
  inspect: InspectServiceDefinition,
  security: SecurityServiceDefinition,
  image: ImageServiceDefinition,
  lifecycle: LifecycleServiceDefinition,
} as const;

/** All services of one node. */
export type NodeClient =
  & {
    /** Node as the user named it; the endpoint's address when none was named. */
    readonly node: string;
    /** Aborts when nobody listens to the calls any more, or their time is up. */
    readonly signal: AbortSignal;
  }
  & {
    readonly [Name in keyof typeof services]: ServiceClient<
      (typeof services)[Name]
    >;
  };

/**
 * Makes the clients of one node.
 *
 * @param transport What carries the calls.
 * @param defaults Options every call starts from; a call's own options win, and either signal ends it.
 */
export function nodeClient(
  node: string,
  transport: Transport,
  defaults: CallOptions,
): NodeClient {
  const { signal = new AbortController().signal } = defaults;
  const client = { node, signal };
  for (const [name, definition] of Object.entries(services)) {
    let made: unknown;
    Object.defineProperty(client, name, {
      enumerable: true,
      // A fan-out makes hundreds of clients, and a command calls one or two of the services.
      get: () => made ??= serviceClient(definition, transport, defaults),
    });
  }
  // The record was built from `services`, key by key.
  return client as NodeClient;
}

/**
 * Makes a client of one service.
 *
 * @param transport What carries the calls.
 * @param defaults Options every call starts from.
 */
export function serviceClient<D extends Definition>(
  definition: D,
  transport: Transport,
  defaults: CallOptions = {},
): ServiceClient<D> {
  const entries = Object.entries(definition.methods).map(([key, method]) => {
    const resolved = methodOf(definition, method);
    const complete = (request: unknown) =>
      method.requestStream
        ? completeEach(method, request as AsyncIterable<unknown>)
        : method.requestType.fromPartial(request);
    const call = (request: unknown, options?: CallOptions) =>
      method.responseStream
        ? transport.stream(resolved, complete(request), both(defaults, options))
        : transport.unary(resolved, complete(request), both(defaults, options))
          // Here, so that no command takes a reply of failure for one of success.
          .then(answered);
    return [key, call];
  });
  // The record was built from the definition, method by method.
  return Object.fromEntries(entries) as ServiceClient<D>;
}

/** Adds the path to a generated method. */
export function methodOf(
  service: Pick<Definition, "fullName">,
  method: DefinitionMethod,
): Method<unknown, unknown> {
  return { ...method, path: `/${service.fullName}/${method.name}` };
}

/** A signal of a call's own must not keep it from ending with everything else. */
function both(defaults: CallOptions, own: CallOptions = {}): CallOptions {
  const signals = [defaults.signal, own.signal].filter((one) =>
    one !== undefined
  );
  return {
    ...defaults,
    ...own,
    ...(signals.length > 1 ? { signal: AbortSignal.any(signals) } : {}),
  };
}

async function* completeEach(
  method: DefinitionMethod,
  requests: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  for await (const request of requests) {
    yield method.requestType.fromPartial(request);
  }
}
