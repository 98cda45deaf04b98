/** Routes to nodes: through the endpoints of the cluster, or directly. */

import { ConfigError } from "../../errors.ts";
import type { CallOptions, Transport } from "../call/call.ts";
import { type NodeClient, nodeClient } from "../call/client.ts";
import type { Connection } from "./connection.ts";
import { dial } from "./dial.ts";
import { type Endpoint, parseEndpoint } from "./endpoint.ts";
import { grpcTransport } from "../call/grpc_transport.ts";
import type { Caller } from "../call/metadata.ts";
import { Pool } from "./pool.ts";
import { proxyFor, type ProxySettings } from "./proxy.ts";
import { maintenanceError } from "./status.ts";
import type { Identity, Trust } from "./trust.ts";

/** Timeout for connecting to an endpoint. */
const dialTimeoutMs = 10_000;

/** Credentials, proxy and notices of a route. */
export interface RouteOptions extends Caller, ProxySettings {
  /** Shows a one-line notice to the user. */
  readonly note: (text: string) => void;
}

/** Default timeouts of the calls of a client. */
export interface ClientOptions {
  readonly signal: AbortSignal;
  /** Default timeout of unary calls in milliseconds; 0 or omitted for none. */
  readonly unaryMs?: number;
  /** Idle timeout of files, lists and logs, in milliseconds; 0 or omitted for none. */
  readonly silenceMs?: number;
}

/** A route to nodes. Connections are opened on the first call. */
export interface NodeRoute {
  /** Checks the names of nodes. Throws `ConfigError` if an endpoint or its proxy is invalid. */
  readonly check: (nodes: readonly string[]) => void;
  /** Client of a node; `address`: its address, if `node` is not an address. */
  readonly node: (
    node: string,
    options: ClientOptions & { readonly address?: string },
  ) => NodeClient;
  /** Default client: the endpoint, or the first of `nodes`. */
  readonly endpoint: (
    nodes: readonly string[],
    options: ClientOptions,
  ) => NodeClient;
  readonly close: () => void;
}

/** Route through endpoints, which forward each call. `endpoints`: as given by the user; parsed on first use. */
export function throughEndpoints(
  endpoints: readonly string[],
  identity: Identity,
  options: RouteOptions,
): NodeRoute {
  return over(endpoints, () => toEndpoints(endpoints, identity, options));
}

/** Transport to endpoints; connects on the first call. Throws `ConfigError` if an endpoint or its proxy is invalid. */
export function toEndpoints(
  endpoints: readonly string[],
  identity: Identity,
  options: RouteOptions,
): Transport {
  const trust: Trust = { kind: "verified", identity };
  return open(endpoints.map(parseEndpoint), trust, options);
}

/**
 * Route over a transport to the endpoints of the cluster.
 *
 * @param endpoints As given by the user; the first is the name of the default client.
 * @param make Creates the transport on first use.
 */
export function over(
  endpoints: readonly string[],
  make: () => Transport,
): NodeRoute {
  let opened: Transport | undefined;

  function transport(): Transport {
    if (endpoints.length === 0) {
      throw new ConfigError("No endpoints are known", {
        hint:
          "Use --endpoints, or set them in the context with: osctl config endpoint <address>",
      });
    }
    return opened ??= make();
  }

  return {
    check: () => void transport(),
    node: (node, options) =>
      findClient(node, transport(), { node, ...options }),
    endpoint(_nodes, options) {
      const reached = transport();
      return findClient(parseEndpoint(endpoints[0]!).host, reached, options);
    },
    close: () => opened?.close(),
  };
}

/**
 * Route to nodes without a configuration, by direct connections without certificates.
 *
 * @param fingerprints Accepted keys: base64 of SHA-256 of SubjectPublicKeyInfo; empty for any.
 */
export function directly(
  fingerprints: readonly string[],
  options: RouteOptions,
): NodeRoute {
  const opened = new Map<string, Transport>();

  function transportTo(node: string): Transport {
    const trust: Trust = { kind: "maintenance", fingerprints };
    const transport = opened.get(node) ??
      open([parseEndpoint(node)], trust, options);
    opened.set(node, transport);
    return transport;
  }

  function client(node: string, options: ClientOptions): NodeClient {
    return findClient(node, explaining(transportTo(node)), options);
  }

  return {
    check: (nodes) => nodes.forEach(transportTo),
    node: client,
    endpoint: ([first = ""], options) => client(first, options),
    close: () => opened.forEach((transport) => transport.close()),
  };
}

/** Explains which version a node without a configuration needs to answer a call. */
function explaining(transport: Transport): Transport {
  return {
    ...transport,
    async unary(method, request, options) {
      try {
        return await transport.unary(method, request, options);
      } catch (error) {
        throw maintenanceError(method.path, error);
      }
    },
    async *stream(method, request, options) {
      try {
        yield* transport.stream(method, request, options);
      } catch (error) {
        throw maintenanceError(method.path, error);
      }
    },
  };
}

function findClient(
  name: string,
  transport: Transport,
  { signal, unaryMs = 0, silenceMs = 0, ...to }:
    & ClientOptions
    & Pick<CallOptions, "node" | "address">,
): NodeClient {
  const limited: Transport = {
    ...transport,
    unary: (method, request, options) =>
      transport.unary(method, request, { deadlineMs: unaryMs, ...options }),
    stream: (method, request, options) =>
      transport.stream(
        method,
        request,
        endsByItself(method.path, request)
          ? { silenceMs, ...options }
          : options,
      ),
  };
  return nodeClient(name, limited, { signal, ...to });
}

/** Finite streams; one that is idle for too long is stuck. */
const finite = new Set([
  "Copy",
  "Dmesg",
  "EtcdSnapshot",
  "Kubeconfig",
  "List",
  "Logs",
  "Read",
]);

function endsByItself(path: string, request: unknown): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  // Any request type; only logs have `follow`.
  const { follow = false } = request as { readonly follow?: boolean };
  return finite.has(name) && !follow;
}

function open(
  endpoints: readonly Endpoint[],
  trust: Trust,
  options: RouteOptions,
): Transport {
  const proxies = new Map(
    endpoints.map((endpoint) => [endpoint, proxyFor(endpoint, options)]),
  );
  const noticeMove = loadBalancerNotice(options.note);
  const pool = new Pool<Connection>({
    endpoints,
    async dial(endpoint, signal) {
      const proxy = proxies.get(endpoint);
      const timeoutMs = dialTimeoutMs;
      const connection = await dial({
        endpoint,
        proxy,
        trust,
        timeoutMs,
        signal,
      });
      noticeMove(connection);
      return connection;
    },
    now: () => performance.now(),
  });
  return grpcTransport(pool, options);
}

interface ConnectedPeer {
  readonly endpoint: Endpoint;
  /** Common name in the server certificate. */
  readonly peerName: string | undefined;
}

/**
 * Detects endpoints that are served by more than one node.
 *
 * With a virtual IP or a load balancer, a reconnect may reach another node, which does not know of a long
 * operation on the first one.
 *
 * @param note Shows a notice to the user, once per endpoint.
 * @returns Function to call with every new connection.
 */
export function loadBalancerNotice(
  note: (text: string) => void,
): (reached: ConnectedPeer) => void {
  const names = new Map<string, string>();
  const noted = new Set<string>();
  return ({ endpoint: { text }, peerName }) => {
    if (peerName === undefined) return;
    const before = names.get(text);
    names.set(text, peerName);
    if (before === undefined || before === peerName || noted.has(text)) return;
    noted.add(text);
    note(
      `warning: Endpoint "${text}" leads to different nodes, "${before}" before and "${peerName}" now: use the addresses of nodes as endpoints`,
    );
  };
}
