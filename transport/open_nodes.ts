/** The selected nodes, over real connections. */

import { ConfigError, UsageError } from "../errors.ts";
import type { Transport } from "./call.ts";
import { type NodeClient, nodeClient } from "./client.ts";
import type { Connection } from "./connection.ts";
import { withDeadline } from "./deadline.ts";
import { dial } from "./dial.ts";
import { type Endpoint, parseEndpoint } from "./endpoint.ts";
import { fanOut } from "./fan_out.ts";
import { grpcTransport } from "./grpc_transport.ts";
import { clusterMembers } from "./members.ts";
import type { Caller } from "./metadata.ts";
import type { Answer, FanOutOptions, Nodes } from "./nodes.ts";
import { Pool } from "./pool.ts";
import { type Env, proxyFor } from "./proxy.ts";
import { checkSelector, isSelector, selected } from "./selectors.ts";
import type { Identity, Trust } from "./trust.ts";

/** Nodes asked at once by unary calls. */
const defaultAtOnce = 64;

/** Longest time until a connection to an endpoint is usable. */
const dialTimeoutMs = 10_000;

/** Which nodes, through which endpoints, and who asks. */
export interface NodesOptions extends Caller {
  /** Endpoints as written; not used in maintenance mode. */
  readonly endpoints: readonly string[];
  /** Nodes as written: names, addresses and selectors. */
  readonly nodes: readonly string[];
  /** Certificates of the context; not used in maintenance mode. */
  readonly identity: Identity;
  /** Longest time of one node in milliseconds; 0 for none. */
  readonly nodeTimeoutMs: number;
  /** Set for nodes that have no configuration yet: asked directly, none of the certificates used. */
  readonly maintenance?: {
    /** Accepted keys: base64 of SHA-256 of SubjectPublicKeyInfo; empty for any. */
    readonly fingerprints: readonly string[];
  } | undefined;
  /** Environment, for `HTTPS_PROXY` and `NO_PROXY`. */
  readonly env: Env;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Tells the user something, one line: what selectors stand for. */
  readonly note: (text: string) => void;
}

/**
 * Opens the selected nodes; nothing is sent before the first use.
 *
 * @param options Which nodes, and how they are reached.
 */
export function openNodes(options: NodesOptions): Nodes {
  const { signal } = options;
  const transports = new Map<string, Transport>();
  let resolved: Promise<readonly string[]> | undefined;

  function transportTo(key: string, endpoints: readonly Endpoint[]): Transport {
    const known = transports.get(key);
    if (known) return known;
    const transport = grpcTransport(poolOf(endpoints, options), options);
    transports.set(key, transport);
    return transport;
  }

  function clientOf(node: string, signal: AbortSignal): NodeClient {
    return options.maintenance
      ? nodeClient(node, transportTo(node, [parseEndpoint(node)]), { signal })
      : nodeClient(node, clusterTransport(), { node, signal });
  }

  function clusterTransport(): Transport {
    return transportTo("", endpointsOf(options));
  }

  async function endpoint(): Promise<NodeClient> {
    if (options.maintenance) return clientOf((await names())[0]!, signal);
    const { host } = endpointsOf(options)[0]!; // never empty
    return nodeClient(host, clusterTransport(), { signal });
  }

  function names(): Promise<readonly string[]> {
    return resolved ??= resolve(options, endpoint);
  }

  async function* call<T>(
    ask: (client: NodeClient) => Promise<T>,
    { atOnce = defaultAtOnce, deadlineMs = options.nodeTimeoutMs }:
      FanOutOptions = {},
  ): AsyncGenerator<Answer<T>> {
    const open = (node: string, signal: AbortSignal) =>
      answerWithin(deadlineMs, signal, (signal) => ask(clientOf(node, signal)));
    yield* fanOut({ nodes: await names(), open, atOnce, signal });
  }

  async function* stream<T>(
    openStream: (client: NodeClient) => AsyncIterable<T>,
    { atOnce = Infinity, deadlineMs = 0 }: FanOutOptions = {},
  ): AsyncGenerator<Answer<T>> {
    const open = (node: string, signal: AbortSignal) =>
      valuesWithin(
        deadlineMs,
        signal,
        (signal) => openStream(clientOf(node, signal)),
      );
    yield* fanOut({ nodes: await names(), open, atOnce, signal });
  }

  async function only(command: string): Promise<NodeClient> {
    const [node, ...others] = await names();
    if (others.length > 0) {
      throw new UsageError(
        `Command "${command}" works on one node, and ${
          others.length + 1
        } are selected`,
        { hint: "Choose one with --nodes" },
      );
    }
    return clientOf(node!, signal); // `names` gives one at least
  }

  function close(): void {
    for (const transport of transports.values()) transport.close();
  }

  return { names, call, stream, only, endpoint, close };
}

function poolOf(
  endpoints: readonly Endpoint[],
  { maintenance, identity, env }: NodesOptions,
): Pool<Connection> {
  const trust: Trust = maintenance
    ? { kind: "maintenance", fingerprints: maintenance.fingerprints }
    : { kind: "verified", identity };
  return new Pool({
    endpoints,
    dial: (endpoint, signal) =>
      dial({
        endpoint,
        trust,
        proxy: proxyFor(endpoint, env),
        timeoutMs: dialTimeoutMs,
        signal,
      }),
    now: () => performance.now(),
  });
}

function endpointsOf({ endpoints }: NodesOptions): readonly Endpoint[] {
  if (endpoints.length === 0) {
    throw new ConfigError("No endpoints are known", {
      hint:
        "Use --endpoints, or set them in the context with: osctl config endpoint ADDRESS",
    });
  }
  return endpoints.map(parseEndpoint);
}

async function resolve(
  { nodes, note }: NodesOptions,
  endpoint: () => Promise<NodeClient>,
): Promise<readonly string[]> {
  if (nodes.length === 0) {
    throw new UsageError("No nodes are selected", {
      hint:
        "Use --nodes, or set them in the context with: osctl config node ADDRESS",
    });
  }
  nodes.filter(isSelector).forEach(checkSelector);
  if (!nodes.some(isSelector)) return [...new Set(nodes)];
  const members = await clusterMembers(await endpoint());
  const expanded = nodes.flatMap((node) => {
    if (!isSelector(node)) return [node];
    const addresses = selected(node, members);
    note(`${node}: ${addresses.join(", ")}`);
    return addresses;
  });
  return [...new Set(expanded)];
}

async function* answerWithin<T>(
  deadlineMs: number,
  parent: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): AsyncGenerator<T> {
  const { signal, clear } = withDeadline({ signal: parent, deadlineMs });
  try {
    yield await ask(signal);
  } finally {
    clear();
  }
}

async function* valuesWithin<T>(
  deadlineMs: number,
  parent: AbortSignal,
  open: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const { signal, clear } = withDeadline({ signal: parent, deadlineMs });
  try {
    yield* open(signal);
  } finally {
    clear();
  }
}
