/** The two ways to a node: through the endpoints of its cluster, or directly. */

import { ConfigError } from "../errors.ts";
import type { Transport } from "./call.ts";
import { type NodeClient, nodeClient } from "./client.ts";
import type { Connection } from "./connection.ts";
import { dial } from "./dial.ts";
import { type Endpoint, parseEndpoint } from "./endpoint.ts";
import { grpcTransport } from "./grpc_transport.ts";
import type { Caller } from "./metadata.ts";
import { Pool } from "./pool.ts";
import { type Env, proxyFor } from "./proxy.ts";
import type { Identity, Trust } from "./trust.ts";

/** Longest time until a connection to an endpoint is usable. */
const dialTimeoutMs = 10_000;

/** Who asks, and what is on the way. */
export interface ReachOptions extends Caller {
  /** Environment, for `HTTPS_PROXY` and `NO_PROXY`. */
  readonly env: Env;
}

/** A way to nodes. Nothing is dialled before the first call. */
export interface Reach {
  /**
   * Makes sure that these nodes can be asked for.
   *
   * @throws {ConfigError} If an endpoint, or the proxy on the way to one, is wrong.
   */
  readonly check: (nodes: readonly string[]) => void;
  /** Client of one node; `signal` ends its calls. */
  readonly node: (node: string, signal: AbortSignal) => NodeClient;
  /** Client of who answers without being told a node: the endpoint, or the first of `nodes`. */
  readonly endpoint: (
    nodes: readonly string[],
    signal: AbortSignal,
  ) => NodeClient;
  /** Ends all connections. */
  readonly close: () => void;
}

/**
 * Reaches nodes through endpoints, which forward each call.
 *
 * @param endpoints As written; read at the first use.
 * @param identity Certificates of the context.
 * @param options Who asks.
 */
export function throughEndpoints(
  endpoints: readonly string[],
  identity: Identity,
  options: ReachOptions,
): Reach {
  let opened: Transport | undefined;

  function transport(): Transport {
    if (endpoints.length === 0) {
      throw new ConfigError("No endpoints are known", {
        hint:
          "Use --endpoints, or set them in the context with: osctl config endpoint ADDRESS",
      });
    }
    const trust: Trust = { kind: "verified", identity };
    return opened ??= open(endpoints.map(parseEndpoint), trust, options);
  }

  return {
    check: () => void transport(),
    node: (node, signal) => nodeClient(node, transport(), { node, signal }),
    endpoint(_nodes, signal) {
      const { host } = parseEndpoint(endpoints[0] ?? "");
      return nodeClient(host, transport(), { signal });
    },
    close: () => opened?.close(),
  };
}

/**
 * Reaches nodes that have no configuration yet, each by its own connection, with no certificates.
 *
 * @param fingerprints Accepted keys: base64 of SHA-256 of SubjectPublicKeyInfo; empty for any.
 * @param options Who asks.
 */
export function directly(
  fingerprints: readonly string[],
  options: ReachOptions,
): Reach {
  const opened = new Map<string, Transport>();

  function transportTo(node: string): Transport {
    const trust: Trust = { kind: "maintenance", fingerprints };
    const transport = opened.get(node) ??
      open([parseEndpoint(node)], trust, options);
    opened.set(node, transport);
    return transport;
  }

  function client(node: string, signal: AbortSignal): NodeClient {
    return nodeClient(node, transportTo(node), { signal });
  }

  return {
    check: (nodes) => nodes.forEach(transportTo),
    node: client,
    endpoint: ([first = ""], signal) => client(first, signal),
    close: () => opened.forEach((transport) => transport.close()),
  };
}

function open(
  endpoints: readonly Endpoint[],
  trust: Trust,
  options: ReachOptions,
): Transport {
  const proxies = new Map(
    endpoints.map((endpoint) => [endpoint, proxyFor(endpoint, options.env)]),
  );
  const pool = new Pool<Connection>({
    endpoints,
    dial: (endpoint, signal) =>
      dial({
        endpoint,
        proxy: proxies.get(endpoint),
        trust,
        timeoutMs: dialTimeoutMs,
        signal,
      }),
    now: () => performance.now(),
  });
  return grpcTransport(pool, options);
}
