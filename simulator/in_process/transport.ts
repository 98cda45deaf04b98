/** Calls to simulated nodes in this process, without a network. */

import { rpcCode, RpcError } from "../../errors.ts";
import {
  isUnsent,
  roleError,
  statusError,
  unreadable,
} from "../../transport/connect/status.ts";
import { type Clock, inRealTime } from "../clock/clock.ts";
import type { ClientCredentials } from "../state/identities.ts";
import { answeringNode } from "../state/node_address.ts";
import type { NodeNetwork, SimulatedNode } from "../state/node.ts";
import { routes } from "../services/mod.ts";
import type { MethodRoute } from "../services/handlers.ts";
import { isMutating } from "../server/invoke.ts";
import { answerCall } from "../server/proxy.ts";
import type {
  CallOptions,
  Method,
  Transport,
} from "../../transport/call/call.ts";
import { handshake } from "./handshake.ts";
import type { CallFaults } from "./call_faults.ts";
import { connectionBroken } from "../state/faults.ts";

/** Network of a node that is not on a real one: only open calls, which can break. */
export interface InProcessNetwork extends NodeNetwork {
  /** Open calls of its connections; they fail when these break. */
  readonly calls: OpenCalls;
}

/** Callbacks that fail open calls. A set: an AbortSignal would cost as much as a call. */
type OpenCalls = Set<(reason: unknown) => void>;

/** Creates the network of a node. */
export function inProcessNetwork(): InProcessNetwork {
  const calls: OpenCalls = new Set();
  function disconnect(): void {
    const reason = connectionBroken();
    for (const end of calls) end(reason);
  }
  return {
    up: () => Promise.resolve(),
    down: disconnect,
    disconnect,
    renew: () => Promise.resolve(),
    freeze: () => Promise.resolve(),
    serve: (socket) => void socket.destroy(),
    calls,
  };
}

/** A call that reached a node, or should have. */
export interface RecordedCall {
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** Name of the target node. */
  readonly node: string;
  /** Name of the method: `Reboot`. */
  readonly method: string;
  /** True when a call of this method may change something. */
  readonly mutating: boolean;
  /** True when the node ran it, whatever the response. */
  carriedOut: boolean;
}

interface InProcessNodes {
  /** Finds a node. Throws `RangeError` if there is none. */
  readonly findNode: (name: string) => SimulatedNode;
  readonly findNetwork: (node: SimulatedNode) => InProcessNetwork;
  readonly faults: CallFaults;
  readonly log: RecordedCall[];
  /** Called before every call that may change something. */
  readonly look: () => void;
}

/** Makes a transport to one endpoint. */
export function inProcessTransport(
  wires: InProcessNodes,
  name: string,
  credentials: ClientCredentials,
): Transport {
  const calls: OpenCalls = new Set();
  let closed: RpcError | undefined;

  async function* stream<Request, Response>(
    method: Method<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions,
  ): AsyncGenerator<Response> {
    const endpoint = wires.findNode(name);
    const call = callEnd();
    call.with(options.signal);
    call.among(calls);
    if (closed) call.end(closed);
    if (options.deadlineMs) endLate(call, endpoint, options.deadlineMs);
    try {
      const { path } = method;
      const asked = {
        path,
        request,
        node: options.address ?? options.node,
        credentials,
      };
      const messages = dispatch(wires, endpoint, { ...asked, call });
      for await (const message of until(messages, call)) {
        yield decode(method, message);
      }
    } catch (error) {
      throw roleError(readable(error), method.path);
    } finally {
      call.over();
    }
  }

  async function unary<Request, Response>(
    method: Method<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions,
  ): Promise<Response> {
    for await (const message of stream(method, request, options)) {
      return message;
    }
    throw new RpcError("DATA_LOSS", `${method.path} answered nothing`);
  }

  return {
    stream,
    unary,
    close() {
      closed = new RpcError("CANCELLED", "the transport was closed");
      for (const end of calls) end(closed);
    },
  };
}

/** Converts a failure to the error that a real connection would give. */
function readable(error: unknown): unknown {
  if (!(error instanceof RpcError) || isUnsent(error)) return error;
  const read = statusError(rpcCode[error.code], error.message);
  return read.message === error.message ? error : read;
}

interface DispatchedCall {
  readonly path: string;
  readonly request: unknown;
  readonly node: string | undefined;
  readonly credentials: ClientCredentials;
  readonly call: CallEnd;
}

async function* dispatch(
  wires: InProcessNodes,
  endpoint: SimulatedNode,
  { path, request, node, credentials, call }: DispatchedCall,
): AsyncGenerator<unknown> {
  const { signal } = call;
  if (endpoint.faults.has("blackhole")) await forEver(signal);
  const server = answeringNode(endpoint);
  const roles = await handshake(server, credentials);
  const route = routes.get(path);
  if (!route) {
    throw new RpcError("UNIMPLEMENTED", `unknown method ${path}`);
  }
  const target = node === undefined ? server : findTarget(server, node);
  const { hostname, address } = target?.identity ??
    { hostname: node ?? "", address: node ?? "" };
  const entry: RecordedCall = {
    at: endpoint.clock.now(),
    node: hostname,
    method: route.definition.name,
    mutating: isMutating(route, request),
    carriedOut: false,
  };
  if (entry.mutating) wires.look();
  wires.log.push(entry);
  for (const one of new Set([server, target])) {
    if (one) call.among(wires.findNetwork(one).calls);
  }
  const names = node === undefined ? undefined : [node];
  const incoming = { route, request, roles, signal, node: names };
  const messages = noteReplies(
    answerCall(server, { ...incoming, nodes: undefined }),
    entry,
  );
  const called = { method: entry.method, names: [hostname, address], signal };
  yield* wires.faults.spoil(called, pauseClock(server, route, messages));
}

/** Marks a call as run, once there is a response. */
async function* noteReplies(
  messages: AsyncIterable<unknown>,
  entry: RecordedCall,
): AsyncGenerator<unknown> {
  for await (const message of messages) {
    entry.carriedOut = true;
    yield message;
  }
  entry.carriedOut = true;
}

/** Methods whose responses take real time, and wait for nothing else. */
const inReal: ReadonlySet<string> = new Set([
  "EtcdSnapshot",
  "EtcdRecover",
  "Kubeconfig",
  "GenerateClientConfiguration",
  "Copy",
]);

function pauseClock(
  { clock }: SimulatedNode,
  { definition }: MethodRoute,
  messages: AsyncIterable<unknown>,
): AsyncIterable<unknown> {
  return inReal.has(definition.name)
    ? readInRealTime(clock, messages)
    : messages;
}

async function* readInRealTime(
  clock: Clock,
  messages: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  const iterator = messages[Symbol.asyncIterator]();
  while (true) {
    const next = await inRealTime(clock, iterator.next());
    if (next.done) return;
    yield next.value;
  }
}

/** Yields messages until the call is aborted, whose reason is then thrown. */
async function* until(
  messages: AsyncIterable<unknown>,
  { ended }: CallEnd,
): AsyncGenerator<unknown> {
  const iterator = messages[Symbol.asyncIterator]();
  try {
    while (true) {
      const next = await Promise.race([ended, iterator.next()]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // It may hang forever.
    iterator.return?.().catch(() => {});
  }
}

/** End of one call; one signal for everything that may abort it. */
interface CallEnd {
  /** Aborts with the reason why the call failed. */
  readonly signal: AbortSignal;
  readonly ended: Promise<never>;
  /** Also aborts the call with another signal, for the same reason. */
  readonly with: (signal: AbortSignal | undefined) => void;
  readonly among: (calls: OpenCalls) => void;
  readonly end: (reason: unknown) => void;
  /** Cleans up the call, and removes its listeners. */
  readonly over: () => void;
}

function callEnd(): CallEnd {
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => {}); // there may be no waiting call
  const watched: (readonly [AbortSignal, () => void])[] = [];
  const others: OpenCalls[] = [];

  function end(reason: unknown): void {
    controller.abort(reason);
    reject(reason);
  }

  return {
    signal: controller.signal,
    ended,
    end,
    among(calls) {
      calls.add(end);
      others.push(calls);
    },
    with(signal) {
      if (signal === undefined) return;
      const follow = () => end(signal.reason);
      if (signal.aborted) return follow();
      signal.addEventListener("abort", follow);
      watched.push([signal, follow]);
    },
    over() {
      for (const calls of others) calls.delete(end);
      for (const [signal, follow] of watched) {
        signal.removeEventListener("abort", follow);
      }
      controller.abort("over");
    },
  };
}

function endLate(
  { signal, end }: CallEnd,
  { clock }: SimulatedNode,
  deadlineMs: number,
): void {
  clock.sleep(deadlineMs, signal).then(() => {
    if (signal.aborted) return;
    const message = `No complete answer within ${deadlineMs / 1000} s`;
    end(new RpcError("DEADLINE_EXCEEDED", message));
  });
}

function decode<Response>(
  { path }: Pick<Method<never, Response>, "path">,
  message: unknown,
): Response {
  if (message instanceof Uint8Array) {
    throw unreadable(undefined);
  }
  const { fromPartial } = routes.get(path)!.definition.responseType; // it was called
  return fromPartial(message);
}

function findTarget(
  { cluster }: SimulatedNode,
  name: string,
): SimulatedNode | undefined {
  return cluster.nodes.find(({ identity: { hostname, address } }) =>
    hostname === name || address === name
  );
}

function forEver(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}
