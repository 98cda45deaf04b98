/** The nodes of a model cluster, as commands and workflows know any others. */

import { type ConnectCause, ConnectError } from "../../../errors.ts";
import type { ModelCluster } from "./model_cluster.ts";
import type {
  CallOptions,
  Method,
  Transport,
} from "../../../transport/call/call.ts";
import { nodeClient } from "../../../transport/call/client.ts";
import type { Nodes } from "../../../transport/node/nodes.ts";
import { openNodes } from "../../../transport/node/open_nodes.ts";
import type { Identity } from "../../../transport/connect/trust.ts";

type CalledCluster = Pick<ModelCluster, "transport">;

/** Nodes over a transport that leads to a model cluster. */
interface ModelNodesOptions {
  readonly endpoints: readonly string[];
  readonly nodes: readonly string[];
  /** What carries calls through the endpoints. */
  readonly transport: Transport;
  /** Makes a transport straight to some addresses. */
  readonly connect: (
    endpoints: readonly string[],
    identity: Identity,
  ) => Transport;
  /** Certificates of the context. */
  readonly identity: Identity;
  readonly signal: AbortSignal;
}

/** Longest time of a unary call, in milliseconds of the cluster's time. */
const unaryMs = 30_000;

/** Opens the nodes of a model cluster. */
export function modelNodes(options: ModelNodesOptions): Nodes {
  const { connect, identity, signal, ...rest } = options;
  const nodes = openNodes({
    ...rest,
    identity,
    signal,
    nodeTimeoutMs: unaryMs,
    env: () => undefined,
    note: () => {},
  });
  return {
    ...nodes,
    // It would be dialled over the network.
    unconfigured: (address) =>
      Promise.resolve(
        nodeClient(address, connect([address], identity), { signal }),
      ),
  };
}

/** Connects to a model cluster: calls go to the first endpoint that can be reached. */
export function connectModel(
  cluster: CalledCluster,
  endpoints: readonly string[],
  { ca = "", crt = "", key = "" }: Identity,
): Transport {
  const transports = endpoints.map((endpoint) =>
    cluster.transport(endpoint, { ca, crt, key })
  );

  async function* stream<Request, Response>(
    method: Method<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions,
  ): AsyncGenerator<Response> {
    for (const [index, transport] of transports.entries()) {
      try {
        return yield* transport.stream(method, request, options);
      } catch (error) {
        if (index === transports.length - 1 || !isAway(error)) throw error;
      }
    }
  }

  async function unary<Request, Response>(
    ...call: Parameters<typeof stream<Request, Response>>
  ): Promise<Response> {
    for (const [index, transport] of transports.entries()) {
      try {
        return await transport.unary(...call);
      } catch (error) {
        if (index === transports.length - 1 || !isAway(error)) throw error;
      }
    }
    throw new ConnectError("refused", "Cannot connect: no endpoint is known");
  }

  return {
    stream,
    unary,
    close: () => transports.forEach((transport) => transport.close()),
  };
}

const away: ReadonlySet<ConnectCause> = new Set([
  "refused",
  "unreachable",
  "timeout",
]);

/** Nothing was sent, and another endpoint may be there. */
function isAway(error: unknown): boolean {
  return error instanceof ConnectError && away.has(error.reason);
}
