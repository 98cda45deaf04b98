/** First control plane of stand-in nodes: its process simulates all nodes that have joined. */

import { apiPort, machine } from "../../provisioners/embedded/serve.ts";
import { secretsFromConfig } from "../../config/generate/secrets_file.ts";
import { switchPower } from "../../simulator/boot/power.ts";
import { systemClock } from "../../simulator/clock/clock.ts";
import {
  type RunningCluster,
  startCluster,
} from "../../simulator/cluster/cluster.ts";
import type { NodeAddress } from "../../simulator/state/node_address.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import { caIn } from "../../simulator/state/trust.ts";
import type { StandInConfiguration, StandInPlace } from "./configuration.ts";
import {
  closeQuietly,
  isEnd,
  joinPort,
  type JoinRequest,
  messages,
  send,
} from "./join_messages.ts";

/** Simulates the first control plane and all joined nodes, until the node is shut down or the signal aborts. */
export async function* lead(
  configuration: StandInConfiguration,
  place: StandInPlace,
): AsyncGenerator<SimulatedNode> {
  const { cluster: name, kubernetes, text } = configuration;
  const { address, store, signal } = place;
  const secrets = await secretsFromConfig(text, "USERDATA");
  const places: NodeAddress[] = [{ host: address, port: apiPort }];
  const texts = [text];
  const cluster = await startCluster({
    name,
    secrets: { secrets, osCa: await caIn(secrets.certs.os) },
    addresses: (index) => places[index],
    configuration: (index) => texts[index],
    bootstrapped: false,
    store,
    kubernetes,
  });
  using listener = Deno.listen({ hostname: address, port: joinPort });
  const [own] = cluster.nodes;
  try {
    if (own === undefined) return;
    // A restarted container is powered on.
    if (own.isOff) await switchPower(own, "on");
    own.pace = machine;
    const member = { cluster, places, texts, address, signal };
    const joining = acceptAll(listener, configuration.token, member);
    yield own;
    while (!own.isOff && !signal.aborted) await systemClock.sleep(50, signal);
    listener.close();
    await joining;
  } finally {
    await cluster.stop();
  }
}

interface JoinedNodes {
  readonly cluster: RunningCluster;
  /** Listen addresses of nodes, by index. */
  readonly places: NodeAddress[];
  /** Configurations of nodes, by index. */
  readonly texts: string[];
  readonly address: string;
  readonly signal: AbortSignal;
}

async function acceptAll(
  listener: Deno.TcpListener,
  token: string,
  membership: JoinedNodes,
): Promise<void> {
  const ports = new Map<string, number>();
  // Sequential: each node gets the next address.
  let turn = Promise.resolve();
  const play = async (connection: Deno.TcpConn) => {
    try {
      const incoming = messages<JoinRequest>(connection);
      const { value: request } = await incoming.next();
      if (request?.token !== token) return;
      const joined = turn.then(() => join(request, ports, membership));
      turn = joined.then(() => {}, () => {});
      const { node, port } = await joined;
      await send(connection, { port });
      // No further messages are expected.
      const end = incoming.next();
      await untilGone({ connection, node, end }, membership.signal);
    } catch (error) {
      if (!isEnd(error)) throw error;
    } finally {
      closeQuietly(connection);
    }
  };
  try {
    for await (const connection of listener) void play(connection);
  } catch (error) {
    // The connection was closed.
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

async function join(
  { hostname, address, machineType, configuration }: JoinRequest,
  ports: Map<string, number>,
  { cluster, places, texts, address: host }: JoinedNodes,
): Promise<{ readonly node: SimulatedNode; readonly port: number }> {
  const known = cluster.nodes.find(({ origin }) =>
    origin.hostname === hostname
  );
  if (known !== undefined) {
    await switchPower(known, "on");
    return { node: known, port: ports.get(hostname) ?? 0 };
  }
  places[cluster.nodes.length] = { host, address, port: 0 };
  texts[cluster.nodes.length] = configuration;
  const number = Number(/\d+$/.exec(hostname)?.[0] ?? cluster.nodes.length);
  const joined = await cluster.join({ machineType, number });
  ports.set(hostname, joined.port);
  // It was off when the leader last stopped.
  await switchPower(joined.node, "on");
  joined.node.pace = machine;
  return joined;
}

/** Waits until a node disconnects, which is a power loss, or is shut down, and then notifies it. */
async function untilGone(
  { connection, node, end }: {
    readonly connection: Deno.TcpConn;
    readonly node: SimulatedNode;
    readonly end: Promise<unknown>;
  },
  signal: AbortSignal,
): Promise<void> {
  let isGone = false;
  const gone = end.then(() => void (isGone = true));
  while (!isGone && !node.isOff && !signal.aborted) {
    await systemClock.sleep(50, signal);
  }
  if (isGone && !node.isOff) await switchPower(node, "off");
  else if (!isGone && node.isOff) await send(connection, { off: true });
  if (!isGone) connection.close();
  await gone;
}
