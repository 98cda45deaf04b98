/** Other stand-in nodes: they join the first control plane, and forward client connections to it. */

import { apiPort } from "../../provisioners/embedded/serve.ts";
import { systemClock } from "../../simulator/clock/clock.ts";
import { apiServerPort } from "../../simulator/kubernetes/server.ts";
import type { StandInConfiguration, StandInPlace } from "./configuration.ts";
import {
  closeQuietly,
  isEnd,
  joinPort,
  type JoinReply,
  messages,
  send,
} from "./join_messages.ts";

/** Retry interval of joining, in milliseconds. */
const retryMs = 100;

/** Joins the leader until the node is shut down or the signal aborts; yields after each join. */
export async function* follow(
  { leader: hostname, machineType, text, token }: StandInConfiguration,
  { hostname: name, address, signal }: Omit<StandInPlace, "store">,
): AsyncGenerator<number> {
  let port = 0;
  const servers = [forward({ hostname: address, port: apiPort }, () => ({
    hostname,
    port,
  }))];
  if (machineType === "controlplane") {
    const target = { hostname, port: apiServerPort };
    const own = { hostname: address, port: apiServerPort };
    servers.push(forward(own, () => target));
  }
  const stop = () => servers.forEach((server) => server.close());
  try {
    while (!signal.aborted) {
      const connection = await connectTo({ hostname, port: joinPort });
      if (connection !== undefined) {
        const close = () => closeQuietly(connection);
        signal.addEventListener("abort", close);
        try {
          const configuration = text;
          const self = { hostname: name, address, machineType, configuration };
          await send(connection, { token, ...self });
          for await (const reply of messages<JoinReply>(connection)) {
            if ("off" in reply) return;
            port = reply.port;
            yield port;
          }
        } catch (error) {
          if (!isEnd(error)) throw error;
        } finally {
          signal.removeEventListener("abort", close);
          close();
        }
      }
      await systemClock.sleep(retryMs, signal);
    }
  } finally {
    stop();
  }
}

/** Forwards connections to the leader; closes them if the leader does not answer. */
function forward(
  own: Deno.TcpListenOptions,
  target: () => Deno.ConnectOptions,
): Deno.TcpListener {
  const listener = Deno.listen(own);
  void (async () => {
    try {
      for await (const client of listener) void pass(client, target());
    } catch (error) {
      if (!isEnd(error)) throw error;
    }
  })();
  return listener;
}

async function pass(
  client: Deno.TcpConn,
  target: Deno.ConnectOptions,
): Promise<void> {
  const server = await connectTo(target);
  if (server === undefined) return client.close();
  client.setNoDelay();
  server.setNoDelay();
  await Promise.allSettled([
    client.readable.pipeTo(server.writable),
    server.readable.pipeTo(client.writable),
  ]);
  closeQuietly(client);
  closeQuietly(server);
}

async function connectTo(
  target: Deno.ConnectOptions,
): Promise<Deno.TcpConn | undefined> {
  try {
    return await Deno.connect(target);
  } catch {
    // Unavailable; retry later.
    return undefined;
  }
}
