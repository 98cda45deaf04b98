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
import type { ClientIdentity } from "./identities.ts";
import type { ApiAnswer, ApiRequest } from "./kubernetes/routes.ts";
import type { ModelFault } from "./model/model_fault.ts";
import type { ClusterTruth } from "./model/truth.ts";
import type { Pace } from "./node.ts";
import type { VirtualClock } from "./virtual_clock.ts";

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
  /** How long the parts of a node's life take; default about that of a real machine. */
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
