/**
 * Cluster of simulated nodes in this process, without sockets, in virtual time.
 *
 * Calls go directly to the handlers of the nodes, etcd is modelled, and all
 * waits are on one virtual clock. It advances to the next event as soon as
 * everything waits, and only while {@linkcode VirtualClock.run} has work:
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
import type { ObservedCluster } from "./observed_state.ts";
import type {
  ApiAnswer,
  ApiRequest,
} from "../../../simulator/state/kubernetes_objects.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import type { MachineType } from "../../../simulator/state/node_identity.ts";
import type { Transport } from "../../../transport/call/call.ts";
import { inject, type ModelFault } from "./inject_fault.ts";
import { joinCluster, leaveCluster } from "./membership.ts";
import type { ModelClusterOptions } from "./model_options.ts";
import { makeModelState, type ModelState } from "./model_state.ts";
import {
  inProcessTransport,
  type RecordedCall,
} from "../../../simulator/in_process/transport.ts";
import { observer } from "./observer.ts";
import { sharedClient } from "./shared_secrets.ts";
import { callFaults } from "../../../simulator/in_process/call_faults.ts";

export type { ModelFault } from "./inject_fault.ts";
export type { ObservedCluster, ObservedNode } from "./observed_state.ts";
export type { DifferentNode, ModelClusterOptions } from "./model_options.ts";
export type { VirtualClock } from "../../../simulator/clock/virtual_clock.ts";
import { ConnectError } from "../../../errors.ts";
import type { KubernetesApi } from "../../../simulator/kubernetes/api.ts";
import { apiError } from "../../../simulator/kubernetes/api_error.ts";
import { hasApiServer } from "../../../simulator/kubernetes/availability.ts";
import { apiServerPort } from "../../../simulator/kubernetes/server.ts";
import {
  acceptedClient,
  checkServer,
  connectionRefused,
} from "../../../simulator/in_process/handshake.ts";

/** A running cluster. */
export interface ModelCluster {
  readonly name: string;
  /** Its time; pass it to everything that waits for nodes. */
  readonly clock: VirtualClock;
  /** Names of the nodes, control planes first; updated when one joins. */
  readonly nodes: () => readonly string[];
  /** Administrator, with a certificate of the first CA. */
  readonly admin: ClientCredentials;
  /** Creates a client with other roles, with a certificate of the first CA. */
  readonly identify: (roles: readonly string[]) => Promise<ClientCredentials>;
  /**
   * Makes a transport with a node as the endpoint; with `node` in the options of a call, a control plane forwards the
   * call.
   *
   * Every call is a separate connection: the node has to be up, with a certificate of a CA in `credentials.ca`, and has
   * to accept the client's CA; else a `ConnectError` gives the reason.
   */
  readonly transport: (
    node: string,
    credentials: ClientCredentials,
  ) => Transport;
  /**
   * Sends a request to the API server of a control plane.
   *
   * @param credentials Client certificate of the Kubernetes CA, as in a node's kubeconfig.
   * @param node Name or address of a control plane; default the first whose API server is up.
   * @throws {ConnectError} If none is up, or the certificates are not accepted.
   */
  readonly kubernetes: (
    request: ApiRequest,
    credentials: ClientCredentials,
    node?: string,
  ) => Promise<ApiAnswer>;
  /** The actual state, visible or not; an immutable copy. */
  readonly observe: () => ObservedCluster;
  /**
   * Injects a fault.
   *
   * @returns Once it has taken effect: a function that removes it.
   * @throws {RangeError} If there is no such node.
   */
  readonly inject: (fault: ModelFault) => Promise<() => Promise<void>>;
  /** Stops the cluster; resolves when no work is left. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a cluster.
 *
 * @returns When every node is ready; its clock has advanced meanwhile.
 * @throws {RangeError} If a node in `different` does not exist.
 */
export async function createModelCluster(
  options: ModelClusterOptions,
): Promise<ModelCluster> {
  // Later the clock would advance while a call waits for a file.
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
  const { findNode, findNetwork } = world;
  const wires = { findNode, findNetwork, faults: calls, log, look: seen.look };
  const injected = {
    nodes: () => facts.nodes,
    findNode,
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
    transport: (node, credentials) =>
      inProcessTransport(wires, node, credentials),
    kubernetes(request, credentials, node) {
      const nodes = node === undefined ? facts.nodes : [findNode(node)];
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
 * Sends a request to the first of several control planes whose API server is up.
 *
 * @throws {ConnectError} If none is up, or its certificate is not trusted.
 */
async function askKubernetes(
  { nodes, api, log }: {
    readonly nodes: readonly SimulatedNode[];
    readonly api: Pick<KubernetesApi, "request">;
    readonly log: RecordedCall[];
  },
  request: ApiRequest,
  credentials: ClientCredentials,
): Promise<ApiAnswer> {
  const up = nodes.find(hasApiServer);
  const address = (up ?? nodes[0])?.identity.address ?? "kubernetes";
  const endpoint = `${address}:${apiServerPort}`;
  if (!up) throw connectionRefused(endpoint);
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
