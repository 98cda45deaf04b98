/** TCP load balancer for control planes. */

import { close, type RunningServer, serveTcp } from "../../sockets.ts";

/** Listen address and upstreams. */
interface LoadBalancerOptions {
  readonly host: string;
  readonly port: number;
  /** `host:port` of every control plane. */
  readonly upstreams: readonly string[];
  /** Timeout for connecting to an upstream, in milliseconds; default 2 s. */
  readonly timeoutMs?: number;
}

/**
 * Starts the load balancer.
 *
 * Round-robin; a control plane that does not answer is skipped, so no health checks are needed. Throws Error
 * if the port is in use or not permitted.
 */
export function serveLoadBalancer(
  { host, port, upstreams, timeoutMs = 2_000 }: LoadBalancerOptions,
): RunningServer {
  let next = 0;
  return serveTcp({ host, port }, async (client) => {
    const first = next++;
    const order = upstreams.map((_, at) =>
      upstreams[(first + at) % upstreams.length] ?? ""
    );
    const server = await connectFirst(order, timeoutMs);
    if (server === undefined) return;
    try {
      await Promise.all([copy(client, server), copy(server, client)]);
    } finally {
      close(server);
    }
  });
}

async function connectFirst(
  upstreams: readonly string[],
  timeoutMs: number,
): Promise<Deno.Conn | undefined> {
  for (const upstream of upstreams) {
    const [, hostname = "", port] = /^\[?(.*?)\]?:(\d+)$/.exec(upstream) ?? [];
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), timeoutMs);
    const connecting = Deno.connect({ hostname, port: Number(port) })
      .catch(() => undefined);
    const connection = await Promise.race([connecting, late]);
    clearTimeout(timer);
    if (connection !== undefined) return connection;
    connecting.then((tardy) => tardy && close(tardy));
  }
  return undefined;
}

async function copy(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  try {
    await from.readable.pipeTo(to.writable, { preventClose: true });
    await to.closeWrite();
  } catch {
    // One side disconnected, so close the other.
    close(from);
    close(to);
  }
}
