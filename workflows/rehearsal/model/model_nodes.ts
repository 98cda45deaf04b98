/** Nodes of a model cluster, with the interface of real ones. */

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

/** Options of nodes over a transport to a model cluster. */
interface ModelNodesOptions {
  readonly endpoints: readonly string[];
  readonly nodes: readonly string[];
  /** Transport through the endpoints. */
  readonly transport: Transport;
  /** Makes a transport directly to some addresses. */
  readonly connect: (
    endpoints: readonly string[],
    identity: Identity,
  ) => Transport;
  /** Certificates of the context. */
  readonly identity: Identity;
  readonly signal: AbortSignal;
}

/** Timeout of a unary call, in milliseconds of virtual time. */
const unaryMs = 30_000;

/** Creates the nodes of a model cluster. */
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
    // This would use the real network.
    unconfigured: (address) =>
      Promise.resolve(
        nodeClient(address, connect([address], {}), { signal }),
      ),
  };
}

/** Connects to a model cluster: calls go to the first reachable endpoint. */
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
  "maintenance",
]);

/** Reports whether nothing was sent, so that another endpoint can be tried. */
function isAway(error: unknown): boolean {
  return error instanceof ConnectError && away.has(error.reason);
}
