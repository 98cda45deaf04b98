import { encodePem, pemLabel } from "../../pki/pem.ts";
import type { Role } from "../../pki/roles.ts";
import { bootNode, powerOff } from "../boot/boot.ts";
import { reboot } from "../boot/power.ts";
import { systemClock } from "../clock/clock.ts";
import type { FaultName, FaultOptions } from "../state/faults.ts";
import { setFault } from "../faults/set_fault.ts";
import type { KubernetesApi } from "../kubernetes/api.ts";
import {
  type ClusterKubernetes,
  startKubernetes,
} from "../kubernetes/server.ts";
import type { SimulatedCluster, SimulatedNode } from "../state/node.ts";
import { createNodeServer } from "../server/server.ts";
import { createBackground } from "../state/background.ts";
import {
  type ClientCredentials,
  clientCredentials,
  type Lifetime,
} from "../state/identities.ts";
import {
  type ClusterOptions,
  findNode,
  makeCluster,
  makeNode,
  type NodePosition,
} from "./make_cluster.ts";
import { formatEndpoint, loopbackAddresses } from "../state/node_address.ts";

export type { ClusterOptions } from "./make_cluster.ts";
export type { NodeAddress } from "../state/node_address.ts";

/** A running cluster. */
export interface RunningCluster {
  readonly name: string;
  /** Certificate of the node API's CA, PEM. */
  readonly ca: string;
  readonly adminIdentity: ClientCredentials;
  /** `host:port` of every listening control plane. */
  readonly endpoints: readonly string[];
  /** `host:port` of every listening node, by node address. */
  readonly listening: ReadonlyMap<string, string>;
  /** All nodes, control planes first. */
  readonly nodes: readonly SimulatedNode[];
  /** Its Kubernetes API, bypassing faults and certificates. */
  readonly kubernetes: Pick<KubernetesApi, "request">;
  /** Makes a client with other roles, lifetime or uses; see {@linkcode clientCredentials}. */
  readonly identify: (
    roles: readonly Role[],
    lifetime?: Lifetime,
    uses?: readonly ("clientAuth" | "serverAuth")[],
  ) => Promise<ClientCredentials>;
  /** Switches a fault of a node on or off; see {@linkcode setFault}. Throws RangeError when there is no such node. */
  readonly setFault: (
    node: string,
    name: FaultName,
    options?: FaultOptions | false,
  ) => Promise<void>;
  /** Reboots a node, as on a client's request. Resolves when it is ready again. */
  readonly reboot: (node: string) => Promise<void>;
  /**
   * Resolves when no background task is running: no node is booting or shutting down.
   *
   * @throws The error of a background task.
   */
  readonly settled: () => Promise<void>;
  /** Adds a node with the options of its index and boots it. Returns it and its port when it is ready. */
  readonly join: (
    kind: Pick<NodePosition, "machineType" | "number">,
  ) => Promise<
    { readonly node: SimulatedNode; readonly port: number }
  >;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a cluster. Returns when every node is ready or waits for an external action. Throws `ConfigError` if the store
 * does not contain a cluster. Throws `Error` if a node cannot listen at its address.
 */
export async function startCluster(
  options: ClusterOptions = {},
): Promise<RunningCluster> {
  const life = new AbortController();
  const background = createBackground();
  const living = { ended: life.signal, background };
  const facts = await makeCluster(options, living);
  const { clock = systemClock } = options;
  const making = { options, facts, clock, life: living };
  const servers = facts.nodes.flatMap((node, index) =>
    findServer(node, index, options)
  );
  const stops: (() => Promise<void>)[] = [];
  let kubernetes: ClusterKubernetes;
  const stop = async () => {
    life.abort();
    facts.nodes.forEach(powerOff);
    try {
      await background.ended();
    } finally {
      await Promise.all(stops.map((stopOne) => stopOne()));
      await facts.etcd.backend.close();
      await Promise.all(servers.map(({ server }) => server.close()));
    }
  };
  try {
    facts.nodes.filter(({ isOff }) => !isOff).map(bootNode)
      .forEach(background.work);
    await background.settled();
    const { addresses = loopbackAddresses } = options;
    kubernetes = await startKubernetes(facts, { addresses, clock });
    stops.push(kubernetes.stop);
  } catch (error) {
    await stop();
    throw error;
  }
  const listening = new Map(
    servers.map(({ node, host, server }) => [
      node.identity.address,
      formatEndpoint({ host, port: server.port() }),
    ]),
  );
  return {
    name: facts.name,
    ca: encodePem(pemLabel.certificate, facts.osCa.certificate),
    adminIdentity: await clientCredentials(facts.osCa, ["os:admin"]),
    endpoints: listEndpoints(facts, listening),
    listening,
    nodes: facts.nodes,
    kubernetes,
    identify: (...how) => clientCredentials(facts.osCa, ...how),
    setFault: (name, ...fault) =>
      setFault(findNode(facts.nodes, name), ...fault),
    async reboot(name) {
      background.work(reboot(findNode(facts.nodes, name)));
      await background.settled();
    },
    settled: background.settled,
    async join(kind) {
      const index = facts.nodes.length;
      const node = await makeNode({ ...kind, index }, making);
      facts.nodes.push(node);
      const added = findServer(node, index, options);
      servers.push(...added);
      if (!node.isOff) background.work(bootNode(node));
      await background.settled();
      facts.nodes.forEach((one) => one.kubernetes.renew());
      return { node, port: added[0]?.server.port() ?? 0 };
    },
    stop,
  };
}

function findServer(
  node: SimulatedNode,
  index: number,
  { addresses = loopbackAddresses }: ClusterOptions,
) {
  const place = addresses(index);
  if (!place) return [];
  const server = createNodeServer(node, place);
  node.network = server;
  return [{ node, host: place.host, server }];
}

function listEndpoints(
  { nodes }: SimulatedCluster,
  listening: ReadonlyMap<string, string>,
): readonly string[] {
  return nodes.flatMap(({ identity: { machineType, address } }) =>
    machineType === "controlplane" ? listening.get(address) ?? [] : []
  );
}
