/** Typed clients of a node, from the generated service definitions. */

import {
  type CallOptions,
  type CallReplies,
  type MessageType,
  type Method,
  type Transport,
  unopenedAnswers,
} from "./call.ts";
import type { StateDefinition } from "../gen/cosi_resource.ts";
import type { ClusterServiceDefinition } from "../gen/cluster.ts";
import type { InspectServiceDefinition } from "../gen/inspect.ts";
import type { MachineServiceDefinition } from "../gen/machine.ts";
import type { DebugServiceDefinition } from "../gen/machine_debug.ts";
import type { ImageServiceDefinition } from "../gen/machine_image.ts";
import type { LifecycleServiceDefinition } from "../gen/machine_lifecycle.ts";
import type { LVMServiceDefinition } from "../gen/machine_lvm.ts";
import type { MDServiceDefinition } from "../gen/machine_md.ts";
import type { SecurityServiceDefinition } from "../gen/securityapi.ts";
import type { StorageServiceDefinition } from "../gen/storage.ts";
import type { TimeServiceDefinition } from "../gen/time.ts";
import { lazyServices } from "../gen/services.ts";
import { OsctlError } from "../../errors.ts";
import { withEtcdCause } from "./etcd_cause.ts";
import { requireMessage } from "./reply.ts";

/** A generated service definition. */
export interface Definition {
  /** Package and name: `machine.MachineService`. */
  readonly fullName: string;
  readonly methods: Readonly<Record<string, DefinitionMethod>>;
}

/** One method of a generated service definition. */
export interface DefinitionMethod {
  /** Name on the wire: `Version`. */
  readonly name: string;
  // Message types of all shapes meet here.
  // deno-lint-ignore no-explicit-any
  readonly requestType: any;
  readonly requestStream: boolean;
  /** Type of the response or of each response. */
  // deno-lint-ignore no-explicit-any
  readonly responseType: any;
  /** True when the server sends a stream. */
  readonly responseStream: boolean;
}

/** Message decoded by a generated type. */
export type Decoded<T> = T extends MessageType<infer Message> ? Message : never;
/** Partial message that a generated type can complete. */
export type Partially<T> = T extends {
  fromPartial(object: infer Shape): unknown;
} ? Shape
  : never;

type RequestOf<M extends DefinitionMethod> = M["requestStream"] extends true
  ? AsyncIterable<Partially<M["requestType"]>>
  : Partially<M["requestType"]>;

type AnswerOf<M extends DefinitionMethod> = M["responseStream"] extends true
  ? AsyncIterable<Decoded<M["responseType"]>>
  : Promise<Decoded<M["responseType"]>>;

/** A service as functions: unary methods return promises, streaming methods async iterables. */
type ServiceClient<D extends Definition> = {
  readonly [Name in keyof D["methods"]]: (
    request: RequestOf<D["methods"][Name]>,
    options?: CallOptions,
  ) => AnswerOf<D["methods"][Name]>;
};

/** Services of a node, by the names used in commands. */
export interface Services {
  /** Source: `machine.MachineService`. */
  readonly machine: typeof MachineServiceDefinition;
  /** Source: `storage.StorageService`. */
  readonly storage: typeof StorageServiceDefinition;
  /** Source: `time.TimeService`. */
  readonly time: typeof TimeServiceDefinition;
  /** Source: `cosi.resource.State`. */
  readonly state: typeof StateDefinition;
  /** Source: `cluster.ClusterService`. */
  readonly cluster: typeof ClusterServiceDefinition;
  /** Source: `inspect.InspectService`. */
  readonly inspect: typeof InspectServiceDefinition;
  /** Source: `securityapi.SecurityService`. */
  readonly security: typeof SecurityServiceDefinition;
  /** Source: `machine.ImageService`. */
  readonly image: typeof ImageServiceDefinition;
  /** Source: `machine.DebugService`. */
  readonly debug: typeof DebugServiceDefinition;
  /** Source: `machine.LifecycleService`. */
  readonly lifecycle: typeof LifecycleServiceDefinition;
  /** Source: `machine.LVMService`. */
  readonly lvm: typeof LVMServiceDefinition;
  /** Source: `machine.MDService`. */
  readonly md: typeof MDServiceDefinition;
}

/** A service that loads message types on the first call of a method: few commands need more than one. */
interface LazyService {
  /** Package and name: `machine.MachineService`. */
  readonly fullName: string;
  readonly methods: Readonly<Record<string, LazyMethod>>;
}

/** A method whose message types are not loaded. */
interface LazyMethod
  extends Omit<DefinitionMethod, "requestType" | "responseType"> {
  /** Loads the request and response types. */
  // Message types of all shapes meet here.
  // deno-lint-ignore no-explicit-any
  readonly types: () => Promise<readonly any[]>;
}

/** Services without their message types, by the names used in commands. */
export const services: Readonly<Record<keyof Services, LazyService>> = {
  machine: lazyServices.MachineServiceDefinition,
  storage: lazyServices.StorageServiceDefinition,
  time: lazyServices.TimeServiceDefinition,
  state: lazyServices.StateDefinition,
  cluster: lazyServices.ClusterServiceDefinition,
  inspect: lazyServices.InspectServiceDefinition,
  security: lazyServices.SecurityServiceDefinition,
  image: lazyServices.ImageServiceDefinition,
  debug: lazyServices.DebugServiceDefinition,
  lifecycle: lazyServices.LifecycleServiceDefinition,
  lvm: lazyServices.LVMServiceDefinition,
  md: lazyServices.MDServiceDefinition,
};

const loaded = new WeakMap<LazyMethod, DefinitionMethod>();

async function load(method: LazyMethod): Promise<DefinitionMethod> {
  const [requestType, responseType] = await method.types();
  const whole = { ...method, requestType, responseType };
  loaded.set(method, whole);
  return whole;
}

/** Loads the message types of all services, for callers whose calls must not wait for file reads. */
export async function loadMessages(): Promise<void> {
  const all = Object.values(services).flatMap(({ methods }) =>
    Object.values(methods)
  );
  await Promise.all(all.map(load));
}

/** All services of one node. */
export type NodeClient =
  & {
    /** Node as given by the user; default the endpoint's address. */
    readonly node: string;
    /** Address of the node, if `node` is not an address. */
    readonly address?: string;
    /** Aborts when the results are no longer needed, or on timeout. */
    readonly signal: AbortSignal;
  }
  & {
    readonly [Name in keyof Services]: ServiceClient<Services[Name]>;
  };

/**
 * Creates the clients of a node.
 *
 * @param transport Sends the calls.
 * @param defaults Default options; options of a call take precedence, and either signal aborts it.
 */
export function nodeClient(
  node: string,
  transport: Transport,
  defaults: CallOptions,
): NodeClient {
  const { signal = new AbortController().signal, address } = defaults;
  const watched = withEtcdCause(
    transport,
    () => etcdState(transport, defaults),
  );
  const own: ServiceCaller = { transport: watched, defaults };
  const client = { node, signal, address, [caller]: own };
  return Object.assign(Object.create(clientServices), client);
}

/** The same client with another name or signal; a copy by its own properties would have no services. */
export function changeClient(
  client: NodeClient,
  changes: Partial<Pick<NodeClient, "node" | "signal">>,
): NodeClient {
  return Object.assign(Object.create(client), changes);
}

/** State of the `etcd` service of a node; `undefined` if not reported. */
async function etcdState(
  transport: Transport,
  { signal: _, ...to }: CallOptions,
): Promise<string | undefined> {
  const { machine } = nodeClient("", transport, to);
  try {
    const { messages } = await machine.serviceList({}, { deadlineMs: 2_000 });
    return messages[0]?.services.find(({ id }) => id === "etcd")?.state;
  } catch (error) {
    if (error instanceof OsctlError) return undefined;
    throw error;
  }
}

interface ServiceCaller {
  readonly transport: Transport;
  readonly defaults: CallOptions;
}

const caller = Symbol("caller");

/** Prototypes shared by all clients of a service; methods are bound on first access. */
const shared = new WeakMap<LazyService, object>();

function serviceClient(service: LazyService, own: ServiceCaller): object {
  let methods = shared.get(service);
  if (methods === undefined) {
    shared.set(service, methods = bindMethods(service));
  }
  return Object.create(methods, { [caller]: { value: own } });
}

/** Prototype of all clients: a fan-out creates hundreds of them, and a command calls only one or two services. */
const clientServices: object = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.entries(services).map(([name, service]) => [name, {
      enumerable: true,
      get(this: { readonly [caller]: ServiceCaller }) {
        return serviceClient(service, this[caller]);
      },
    }]),
  ),
);

function bindMethods(service: LazyService): object {
  const methods = {};
  for (const [key, method] of Object.entries(service.methods)) {
    Object.defineProperty(methods, key, {
      enumerable: true,
      get(this: { readonly [caller]: ServiceCaller }) {
        const own = this[caller];
        return (request: unknown, options?: CallOptions) =>
          call(service, method, own, request, options);
      },
    });
  }
  return methods;
}

function call(
  service: LazyService,
  method: LazyMethod,
  { transport, defaults }: ServiceCaller,
  request: unknown,
  own?: CallOptions,
): unknown {
  const options = both(defaults, own);
  const stream = (known: DefinitionMethod) =>
    transport.stream(
      findMethod(service, known),
      completeRequest(known, request),
      options,
    );
  const unary = (known: DefinitionMethod) =>
    transport.unary(
      findMethod(service, known),
      completeRequest(known, request),
      options,
    )
      // Checked here, so that no command mistakes a failure reply for a success.
      .then(requireMessage);
  const known = loaded.get(method);
  if (!method.responseStream) {
    return known === undefined ? load(method).then(unary) : unary(known);
  }
  return known === undefined
    ? openReplies(async () => stream(await load(method)))
    : stream(known);
}

function completeRequest(method: DefinitionMethod, request: unknown): unknown {
  return method.requestStream
    ? completeEach(method, request as AsyncIterable<unknown>)
    : method.requestType.fromPartial(request);
}

/** Replies that are opened on first use. */
function openReplies<T>(open: () => Promise<CallReplies<T>>): CallReplies<T> {
  const answers = async function* () {
    yield* await open();
  };
  return Object.assign(answers(), { [unopenedAnswers]: open });
}

/** Adds the HTTP/2 path to a generated method. */
function findMethod(
  service: Pick<Definition, "fullName">,
  method: DefinitionMethod,
): Method<unknown, unknown> {
  return { ...method, path: `/${service.fullName}/${method.name}` };
}

/** Merges options; the default signal still aborts a call that has its own signal. */
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
