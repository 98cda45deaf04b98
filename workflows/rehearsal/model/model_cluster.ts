/**
 * A cluster of simulated nodes in this process: no sockets, and time that jumps.
 *
 * Calls go straight to the handlers of the nodes, the etcd is modelled, and
 * all waiting is on one virtual clock. It moves on to whatever is due next
 * as soon as everybody waits, and only while {@linkcode VirtualClock.run} has
 * something to do:
 *
 *     const cluster = await createModelCluster({ controlPlanes: 3, workers: 3, version: "v1.13.4" });
 *     await cluster.clock.run(() => upgrade(cluster.transport("demo-worker-1", cluster.admin)));
 *     assert.equal(cluster.observe().nodes[3].version, "v1.14.1");
 *     await cluster.stop();
 */

import { loadMessages } from "../../../transport/call/client.ts";
import { bootNode, powerOff } from "../../../simulator/boot/boot.ts";
import type { VirtualClock } from "../../../simulator/clock/virtual_clock.ts";
import type { ClientCredentials } from "../../../simulator/state/identities.ts";
import type { ObservedCluster, RecordedOpenCall } from "./observed_state.ts";
import type {
  ApiAnswer,
  ApiRequest,
} from "../../../simulator/state/kubernetes_objects.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import type { MachineType } from "../../../simulator/state/node_identity.ts";
import type { Transport } from "../../../transport/call/call.ts";
import { inject } from "./inject_fault.ts";
import { joinCluster, leaveCluster } from "./membership.ts";
import type { ModelFault } from "./model_fault.ts";
import type { ModelClusterOptions } from "./model_options.ts";
import { makeModelState, type ModelState } from "./model_state.ts";
import { modelTransport } from "./model_transport.ts";
import { observer } from "./observer.ts";
import { sharedClient } from "./shared_secrets.ts";
import { callFaults } from "./call_faults.ts";

export type { ModelFault } from "./model_fault.ts";
export type {
  ObservedCluster,
  ObservedNode,
  RecordedCall,
} from "./observed_state.ts";
export type { DifferentNode, ModelClusterOptions } from "./model_options.ts";
export type { VirtualClock } from "../../../simulator/clock/virtual_clock.ts";
import { ConnectError } from "../../../errors.ts";
import type { KubernetesApi } from "../../../simulator/kubernetes/api.ts";
import { apiError } from "../../../simulator/kubernetes/api_error.ts";
import { hasApiServer } from "../../../simulator/kubernetes/availability.ts";
import { apiServerPort } from "../../../simulator/kubernetes/server.ts";
import { acceptedClient, checkServer, refused } from "./handshake.ts";

/** A cluster that runs. */
export interface ModelCluster {
  readonly name: string;
  /** Its time; pass it to whatever waits for nodes. */
  readonly clock: VirtualClock;
  /** Names of the nodes, control planes first; grows when one joins. */
  readonly nodes: () => readonly string[];
  /** A client with all rights, signed by the CA the cluster began with. */
  readonly admin: ClientCredentials;
  /** Makes a client with other roles, signed by the CA the cluster began with. */
  readonly identify: (roles: readonly string[]) => Promise<ClientCredentials>;
  /**
   * Calls to a node as if it were the endpoint; with `node` in the options of
   * a call a control plane forwards it.
   *
   * Every call is a connection of its own: the node has to be up, its
   * certificate signed by a CA among `credentials.ca`, and the client's
   * by one that the node accepts now; else a `ConnectError` says why not.
   */
  readonly transport: (
    node: string,
    credentials: ClientCredentials,
  ) => Transport;
  /**
   * Sends a request to the API server of a control plane.
   *
   * @param credentials Client of the Kubernetes CA, as a kubeconfig of a node has it.
   * @param node Name or address of a control plane; default the first whose API server is up.
   * @throws {ConnectError} When none is up, or the certificates do not fit.
   */
  readonly kubernetes: (
    request: ApiRequest,
    credentials: ClientCredentials,
    node?: string,
  ) => Promise<ApiAnswer>;
  /** The actual state, whether visible or not; a copy that does not change. */
  readonly observe: () => ObservedCluster;
  /**
   * Switches a fault on.
   *
   * @returns When it has taken effect: what switches it off again.
   * @throws {RangeError} When there is no such node.
   */
  readonly inject: (fault: ModelFault) => Promise<() => Promise<void>>;
  /** Ends everything; resolves when nothing of it continues. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a cluster.
 *
 * @returns When every node is ready; its time has continued meanwhile.
 * @throws {RangeError} When a node that is to be different is none of it.
 */
export async function createModelCluster(
  options: ModelClusterOptions,
): Promise<ModelCluster> {
  // Its time would continue while a call waits for a file.
  await loadMessages();
  const world = await makeModelState(options);
  const { clock, api, ever, etcd, log, making: { facts } } = world;
  const calls = callFaults(clock);
  const seen = observer({
    now: clock.now,
    nodes: () => ever,
    isPart: (node) => facts.nodes.includes(node),
    etcd,
    kubernetes: api,
    calls: log,
  });
  world.onQuiet(seen.look);
  await bootAll(world);
  seen.begin();
  const { nodeOf, networkOf } = world;
  const wires = { nodeOf, networkOf, faults: calls, log, look: seen.look };
  const injected = {
    nodes: () => facts.nodes,
    nodeOf,
    calls,
    join: (role: MachineType) => joinCluster(world, role),
    leave: (node: SimulatedNode) => leaveCluster(world, node),
  };
  return {
    name: facts.name,
    clock,
    nodes: () => facts.nodes.map(({ identity }) => identity.hostname),
    admin: await sharedClient(["os:admin"]),
    identify: sharedClient,
    transport: (node, credentials) => modelTransport(wires, node, credentials),
    kubernetes(request, credentials, node) {
      const nodes = node === undefined ? facts.nodes : [nodeOf(node)];
      return askKubernetes({ api, log, nodes }, request, credentials);
    },
    observe: seen.observe,
    inject: (fault) =>
      clock.run(async () => {
        const lift = await inject(injected, fault);
        seen.look();
        return lift;
      }),
    async stop() {
      world.end();
      ever.forEach(powerOff);
      await clock.run(world.ended);
    },
  };
}

async function bootAll(
  { clock, api, ever }: ModelState,
): Promise<void> {
  await clock.run(async () => {
    const boots = ever.map(bootNode);
    ever.forEach((node, index) => node.work(boots[index]!)); // one for each
    await Promise.all(boots);
  });
  api.reconcile();
}

/**
 * Sends a request to the first of some control planes whose API server is up.
 *
 * @throws {ConnectError} When none is up, or its certificate is not believed.
 */
async function askKubernetes(
  { nodes, api, log }: {
    readonly nodes: readonly SimulatedNode[];
    readonly api: Pick<KubernetesApi, "request">;
    readonly log: RecordedOpenCall[];
  },
  request: ApiRequest,
  credentials: ClientCredentials,
): Promise<ApiAnswer> {
  const up = nodes.find(hasApiServer);
  const address = (up ?? nodes[0])?.identity.address ?? "kubernetes";
  const endpoint = `${address}:${apiServerPort}`;
  if (!up) throw refused(endpoint);
  const { trust } = up.kubernetes;
  const server = { endpoint, trust, clock: up.clock };
  checkServer(server, credentials);
  try {
    await acceptedClient(server, credentials);
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    const { code, body } = apiError("unauthorized");
    return { code, body };
  }
  const answer = api.request(request);
  const [path = ""] = request.path.split("?");
  log.push({
    at: up.clock.now(),
    node: "kubernetes",
    method: `${request.method} ${path}`,
    mutating: request.method !== "GET",
    carriedOut: answer.code < 400,
  });
  return answer;
}
