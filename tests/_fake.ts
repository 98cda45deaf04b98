/** Nodes made of the handlers a test gives, behind the real fan-out. */

import { NodesError, RpcError, UsageError } from "../errors.ts";
import type { Method, Transport } from "../transport/call/call.ts";
import { type NodeClient, nodeClient } from "../transport/call/client.ts";
import { fanOut } from "../transport/node/fan_out.ts";
import type { Nodes } from "../transport/node/nodes.ts";

/** Answers one method: a value (partial message), a promise of one, or an async iterable of them. */
// Requests and responses of all methods meet here.
// deno-lint-ignore no-explicit-any
export type Handler = (request: any, signal?: AbortSignal) => any;

/** Handlers of one node by camel-case method name: `version`, `serviceList`, `get`. */
export type FakeNode = Readonly<Record<string, Handler>>;

/** Nodes of a test by name. */
export type FakeNodes = Readonly<Record<string, FakeNode>>;

/** In front of a node name without a configuration; such nodes are not selected. */
export const bare = "bare ";

/** Fake nodes, and what was asked of them. */
export interface Fakes {
  readonly nodes: Nodes;
  /** Handlers that were never asked, as `node.method`. */
  readonly unused: () => string[];
}

/**
 * Makes nodes of handlers.
 *
 * @param handlers Handlers by node; all of them are selected. The node `""` is the endpoint itself.
 * @param signal Aborts when the user interrupts.
 * @param transport Answers all calls in their place.
 */
export function fakeNodes(
  handlers: FakeNodes,
  signal: AbortSignal = new AbortController().signal,
  transport?: Transport,
): Fakes {
  const used = new Set<string>();
  const names = Object.keys(handlers).filter((name) =>
    name !== "" && !name.startsWith(bare)
  );
  const client = (node: string, stop?: AbortSignal): NodeClient =>
    nodeClient(
      node || "endpoint",
      transport ?? fakeTransport(handlers, node, used),
      { ...(node === "" ? {} : { node }), signal: stop ?? signal },
    );
  const stream: Nodes["stream"] = (open, options = {}) =>
    fanOut({
      nodes: names,
      atOnce: options.atOnce ?? 64,
      signal,
      open: (node, stop) => open(client(node, stop)),
    });
  return {
    nodes: {
      names: () => Promise.resolve(names),
      stream,
      call: (ask, options) =>
        stream(async function* (node) {
          yield await ask(node);
        }, options),
      only(command) {
        const [name, ...others] = names;
        if (name !== undefined && others.length === 0) {
          return Promise.resolve(client(name));
        }
        throw new UsageError(
          `Command "${command}" takes one node, ${names.length} are selected`,
        );
      },
      at: (node, until) => Promise.resolve(client(node, until)),
      unconfigured: (node) => Promise.resolve(client(`${bare}${node}`)),
      endpoint: () => Promise.resolve(client("")),
      close() {},
    },
    unused: () =>
      Object.entries(handlers).flatMap(([node, methods]) =>
        Object.keys(methods).map((method) => `${node}.${method}`)
      ).filter((name) => !used.has(name)),
  };
}

/** Raised by a handler to fail its node with a gRPC status. */
export { NodesError, RpcError };

function fakeTransport(
  handlers: FakeNodes,
  node: string,
  used: Set<string>,
): Transport {
  function handler(method: Pick<Method<unknown, unknown>, "path">): Handler {
    const name = method.path.split("/").at(-1) ?? "";
    const key = Object.keys(handlers[node] ?? {}).find((known) =>
      known.toLowerCase() === name.toLowerCase()
    );
    const found = handlers[node]?.[key ?? ""];
    // Asked of any endpoint that lists one member or none; most tests are not about etcd.
    if (found === undefined && name === "EtcdMemberList") {
      return () => Promise.reject(new RpcError("UNIMPLEMENTED", "no etcd"));
    }
    // Kubernetes is asked for the lock of a run before nodes are disturbed.
    const isAsked = node === "" && name === "List" || name === "Kubeconfig";
    if (found === undefined && isAsked) {
      const next = () =>
        Promise.reject(new RpcError("UNIMPLEMENTED", "no list"));
      return () => ({ [Symbol.asyncIterator]: () => ({ next }) });
    }
    // The stage of control planes is read beside their etcd.
    if (found === undefined && name === "Get") {
      return ({ type, id }) => {
        if (type.startsWith("MachineStatuses.")) {
          return Promise.reject(new RpcError("NOT_FOUND", "no status"));
        }
        throw new Error(`Node "${node}" was asked for ${type} ${id}`);
      };
    }
    if (found === undefined) {
      throw new Error(
        `Node "${node}" was asked for ${name}, the test gives no answer`,
      );
    }
    used.add(`${node}.${key}`);
    return found;
  }
  return {
    async unary(method, request, { signal }) {
      signal?.throwIfAborted();
      return complete(method, await handler(method)(request, signal));
    },
    async *stream(method, request, { signal }) {
      for await (const value of handler(method)(request, signal)) {
        signal?.throwIfAborted();
        yield complete(method, value);
      }
    },
    close() {},
  };
}

/** Answers go over the wire format, so that they are what a node could have sent. */
function complete<Q, R>(method: Method<Q, R>, value: unknown): R {
  // Generated types can complete a partial message; the seam does not ask for it.
  const type = method.responseType as typeof method.responseType & {
    fromPartial(value: unknown): R;
  };
  return type.decode(
    type.encode(type.fromPartial(typeText(value, type))).finish(),
  );
}

/** Gives numbers and texts the types that fields have: `bigint` and bytes. */
function typeText(
  value: unknown,
  type: { fromPartial(value: unknown): unknown },
): unknown {
  return convertLike(value, type.fromPartial(toSkeleton(value)));
}

/** Messages and lists without their scalars, which then get their defaults. */
function toSkeleton(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSkeleton);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      Array.isArray(inner) || isRecord(inner) ? [[key, toSkeleton(inner)]] : []
    ),
  );
}

function convertLike(value: unknown, like: unknown): unknown {
  if (typeof value === "number" && typeof like === "bigint") {
    return BigInt(value);
  }
  if (typeof value === "bigint" && typeof like !== "bigint") {
    return Number(value);
  }
  if (typeof value === "string" && like instanceof Uint8Array) {
    return new TextEncoder().encode(value);
  }
  if (Array.isArray(value)) {
    return value.map((one, at) =>
      convertLike(one, Reflect.get(Object(like), at))
    );
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      convertLike(inner, Reflect.get(Object(like), key)),
    ]),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null &&
    Object.getPrototypeOf(value) === Object.prototype;
}
