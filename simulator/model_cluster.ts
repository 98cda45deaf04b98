/**
 * A cluster of simulated nodes in this process: no sockets, and time that jumps.
 *
 * Calls go straight to the handlers of the nodes, the etcd is modelled, and
 * whoever waits waits on one virtual clock. It moves on to whatever is due next
 * as soon as everybody waits, and only while {@linkcode VirtualClock.run} has
 * something to do:
 *
 *     const cluster = await createModelCluster({ controlPlanes: 3, workers: 3, version: "v1.13.4" });
 *     await cluster.clock.run(() => upgrade(cluster.transport("demo-worker-1", cluster.admin)));
 *     assert.equal(cluster.truth().nodes[3].version, "v1.14.1");
 *     await cluster.stop();
 */

import type { Transport } from "../transport/call.ts";
import { createBackground } from "./background.ts";
import { systemClock } from "./clock.ts";
import { bootNode } from "./boot.ts";
import { etcdModel } from "./etcd/model_backend.ts";
import type { ClientIdentity } from "./identities.ts";
import { createKubernetesApi } from "./kubernetes/api.ts";
import type { ApiAnswer, ApiRequest } from "./kubernetes/routes.ts";
import { type ClusterOptions, makeCluster } from "./make_cluster.ts";
import type { OpenCall } from "./model/call_log.ts";
import {
  type ModelNetwork,
  modelNetwork,
  modelTransport,
} from "./model/carry.ts";
import { inject } from "./model/inject.ts";
import { askKubernetes } from "./model/kubernetes.ts";
import { joinCluster, leaveCluster } from "./model/membership.ts";
import type { ModelFault } from "./model/model_fault.ts";
import { observer } from "./model/observer.ts";
import { paceOf } from "./model/pace.ts";
import { sharedClient, sharedSecrets } from "./model/shared_secrets.ts";
import { callFaults } from "./model/spoiled_calls.ts";
import type { ClusterTruth } from "./model/truth.ts";
import type { MachineType, Pace, SimulatedNode } from "./node.ts";
import { powerOff } from "./power_off.ts";
import { defaultVersions } from "./release.ts";
import { type VirtualClock, virtualClock } from "./virtual_clock.ts";

export type { ModelFault } from "./model/model_fault.ts";
export type { ClusterTruth, NodeTruth, RecordedCall } from "./model/truth.ts";
export type { VirtualClock } from "./virtual_clock.ts";

/** What a model cluster is made from. */
export interface ModelClusterOptions {
  /** Number of control planes, at least 1. */
  readonly controlPlanes: number;
  /** Number of workers; default 0. */
  readonly workers?: number;
  /** Version that all nodes run, with `v`: `v1.13.4`. */
  readonly version: string;
  /** Version of Kubernetes, without `v`; default that of other simulated clusters. */
  readonly kubernetes?: string;
  /** Name; default `demo`. Nodes are called `demo-controlplane-1`, `demo-worker-1`. */
  readonly name?: string;
  /** Gives each node a pace of its own, always the same for the same number; default all have one pace. */
  readonly seed?: number;
  /** When it is made, in milliseconds since 1970; default the next full hour, so that certificates made with this machine's clock are valid. */
  readonly start?: number;
  /** How long the parts of a node's life take; default 20 s for a reboot with an installation. */
  readonly pace?: Partial<Pace>;
}

/** A cluster that runs. */
export interface ModelCluster {
  /** Name. */
  readonly name: string;
  /** Its time; pass it to whatever waits for nodes. */
  readonly clock: VirtualClock;
  /** Names of the nodes, control planes first; grows when one joins. */
  readonly nodes: () => readonly string[];
  /** A client with all rights, signed by the authority the cluster began with. */
  readonly admin: ClientIdentity;
  /** Makes a client with other roles, signed by the authority the cluster began with. */
  readonly identify: (roles: readonly string[]) => Promise<ClientIdentity>;
  /**
   * Calls to a node as if it were the endpoint; with `node` in the options of
   * a call a control plane forwards it.
   *
   * Every call is a connection of its own: the node has to be up, its
   * certificate signed by an authority among `credentials.ca`, and the client's
   * by one that the node accepts now; else a `ConnectError` says why not.
   *
   * @param node Name or address.
   * @param credentials Who asks.
   */
  readonly transport: (node: string, credentials: ClientIdentity) => Transport;
  /**
   * Sends a request to the API server of a control plane.
   *
   * @param credentials Client of the Kubernetes authority, as a kubeconfig of a node has it.
   * @param node Name or address of a control plane; default the first whose API server is up.
   * @throws {ConnectError} When none is up, or the certificates do not fit.
   */
  readonly kubernetes: (
    request: ApiRequest,
    credentials: ClientIdentity,
    node?: string,
  ) => Promise<ApiAnswer>;
  /** What is so, whoever may see it; a copy that stays as it is. */
  readonly truth: () => ClusterTruth;
  /**
   * Switches a fault on.
   *
   * @returns When it has taken effect: what switches it off again.
   * @throws {RangeError} When there is no such node.
   */
  readonly inject: (fault: ModelFault) => Promise<() => Promise<void>>;
  /** Ends everything; resolves when nothing of it goes on. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a cluster.
 *
 * @returns When every node is ready; its time has gone on meanwhile.
 */
export async function createModelCluster(
  options: ModelClusterOptions,
): Promise<ModelCluster> {
  const { controlPlanes, workers = 0, name = "demo", version } = options;
  const { start = nextHour() } = options;
  let look = () => {};
  const clock = virtualClock({ start, onQuiet: () => look() });
  const life = new AbortController();
  const background = createBackground();
  const etcd = etcdModel({
    saved: undefined,
    version: defaultVersions.etcd.replace(/^v/, ""),
  });
  const made: ClusterOptions = {
    name,
    controlplanes: controlPlanes,
    workers,
    clock,
    etcd,
    places: () => undefined,
    release: { tag: version },
    pace: paceOf(options),
    secrets: await sharedSecrets(),
    ...(options.kubernetes === undefined
      ? {}
      : { kubernetes: options.kubernetes }),
  };
  const lived = { ended: life.signal, background };
  const facts = await makeCluster(made, lived);
  const { nodes } = facts;
  const ever = [...nodes];
  const api = createKubernetesApi(facts, clock);
  facts.kubernetesApi = api;
  const log: OpenCall[] = [];
  const networks = new Map<SimulatedNode, ModelNetwork>();
  const connect = (node: SimulatedNode) => {
    const network = modelNetwork();
    networks.set(node, network);
    node.network = network;
  };
  nodes.forEach(connect);
  const calls = callFaults(clock);
  const seen = observer({
    now: clock.now,
    nodes: () => ever,
    isPart: (node) => nodes.includes(node),
    etcd,
    kubernetes: api,
    calls: log,
  });
  look = seen.look;
  const nodeOf = (wanted: string) => nodeIn(ever, wanted);
  const wires = {
    nodeOf,
    networkOf: (node: SimulatedNode) => networks.get(node)!, // each was given one
    faults: calls,
    log,
    look: seen.look,
  };
  const membership = {
    ...{ facts, clock, ever, api, connect },
    options: made,
    life: lived,
  };
  const injected = {
    nodes: () => nodes,
    nodeOf,
    calls,
    join: (role: MachineType) => joinCluster(membership, role),
    leave: (node: SimulatedNode) => leaveCluster(membership, node),
  };
  await clock.run(async () => {
    const boots = nodes.map(bootNode);
    boots.forEach(background.work);
    await Promise.all(boots);
  });
  api.live();
  seen.begin();
  return {
    name,
    clock,
    nodes: () => nodes.map(({ identity }) => identity.hostname),
    admin: await sharedClient(["os:admin"]),
    identify: sharedClient,
    transport: (node, credentials) => modelTransport(wires, node, credentials),
    kubernetes: (request, credentials, node) =>
      askKubernetes(
        { api, log, nodes: node === undefined ? nodes : [nodeOf(node)] },
        request,
        credentials,
      ),
    truth: seen.truth,
    inject: (fault) =>
      clock.run(async () => {
        const lift = await inject(injected, fault);
        seen.look();
        return lift;
      }),
    async stop() {
      life.abort();
      ever.forEach(powerOff);
      await clock.run(background.ended);
    },
  };
}

function nextHour(): number {
  return Math.ceil(systemClock.now() / hourMs) * hourMs;
}

const hourMs = 3_600_000;

function nodeIn(
  nodes: readonly SimulatedNode[],
  name: string,
): SimulatedNode {
  const node = nodes.find(({ identity, origin }) =>
    [identity, origin].some(({ address, hostname }) =>
      address === name || hostname === name
    )
  );
  if (!node) throw new RangeError(`No simulated node is named "${name}"`);
  return node;
}
