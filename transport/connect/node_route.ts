/** The two ways to a node: through the endpoints of its cluster, or directly. */

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
import type { Identity, Trust } from "./trust.ts";

/** Longest time until a connection to an endpoint is usable. */
const dialTimeoutMs = 10_000;

/** Who asks, and what is on the way. */
export interface RouteOptions extends Caller, ProxySettings {
  /** Tells the user something, one line. */
  readonly note: (text: string) => void;
}

/** What the calls of a client have in common. */
export interface ClientOptions {
  readonly signal: AbortSignal;
  /** Longest time of a unary call in milliseconds that has none of its own; omitted or 0, none. */
  readonly unaryMs?: number;
  /** Longest wait for more of a file, list or log, in milliseconds; omitted or 0, none. */
  readonly silenceMs?: number;
}

/** A way to nodes. Nothing is dialled before the first call. */
export interface NodeRoute {
  /**
   * Makes sure that these nodes can be asked for. Throws `ConfigError` if an endpoint, or the proxy on
   * the way to one, is wrong.
   */
  readonly check: (nodes: readonly string[]) => void;
  /** Client of one node; `address`: where it is, in case it is named otherwise. */
  readonly node: (
    node: string,
    options: ClientOptions & { readonly address?: string },
  ) => NodeClient;
  /** Client of what answers when no node is named: the endpoint, or the first of `nodes`. */
  readonly endpoint: (
    nodes: readonly string[],
    options: ClientOptions,
  ) => NodeClient;
  readonly close: () => void;
}

/** Reaches nodes through endpoints, which forward each call. `endpoints`: as written; read at the first use. */
export function throughEndpoints(
  endpoints: readonly string[],
  identity: Identity,
  options: RouteOptions,
): NodeRoute {
  return over(endpoints, () => toEndpoints(endpoints, identity, options));
}

/**
 * Carries calls to endpoints; nothing is dialled before the first. Throws `ConfigError` if an
 * endpoint, or the proxy on the way to one, is wrong.
 */
export function toEndpoints(
  endpoints: readonly string[],
  identity: Identity,
  options: RouteOptions,
): Transport {
  const trust: Trust = { kind: "verified", identity };
  return open(endpoints.map(parseEndpoint), trust, options);
}

/**
 * Reaches nodes over a transport to the endpoints of their cluster.
 *
 * @param endpoints As written; the first gives its name to what answers when no node is named.
 * @param make Makes the transport, at its first use.
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
 * Reaches nodes that have no configuration yet, each by its own connection, with no certificates.
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
    return findClient(node, transportTo(node), options);
  }

  return {
    check: (nodes) => nodes.forEach(transportTo),
    node: client,
    endpoint: ([first = ""], options) => client(first, options),
    close: () => opened.forEach((transport) => transport.close()),
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

/** Streams of what a node has at hand; one that sends nothing of it for long is stuck. */
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
  // Requests of all types meet here; only logs can be followed.
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
  /** Name in the certificate of who answered. */
  readonly peerName: string | undefined;
}

/**
 * Watches who answers at each endpoint.
 *
 * A virtual IP or a load balancer shows when connecting again leads to another node. What a long operation did
 * before is then unknown to who answers now.
 *
 * @param note Tells the user, once per endpoint.
 * @returns To be called with every new connection.
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
