/** Connection of a run to its cluster, with all its credentials. */

import { toEndpoints } from "../../../transport/connect/node_route.ts";
import { memberNamed } from "../../../transport/node/members.ts";
import type { Nodes } from "../../../transport/node/nodes.ts";
import { openNodes } from "../../../transport/node/open_nodes.ts";
import {
  createRunCredentials,
  type RunCredentials,
  type RunCredentialsOptions,
} from "../../ca/run_credentials.ts";
import type { KubernetesAccess } from "../../kubernetes/access.ts";
import { type Kubernetes, openKubernetes } from "../../kubernetes/client.ts";
import type { Transport } from "../../../transport/call/call.ts";
import {
  type ClusterView,
  viewCluster,
} from "../../operations/cluster_view.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import {
  type NewCluster,
  reachCluster,
  type RunCluster,
} from "../engine/run_cluster.ts";
import { createFence, type Fence } from "../lock/fence.ts";
import type { Vault } from "../../vault/secrets.ts";
import { onlyRead, readingKubernetes, readingOnly } from "../lock/read_only.ts";
import type { ContextNodes, RunSession } from "./run_session.ts";

/** Connection to the cluster of a run. */
export interface RunConnection extends Disposable {
  readonly context: string;
  /** Client certificate of the context, PEM; absent behind a proxy that needs none. */
  readonly crt: string | undefined;
  readonly ring: RunCredentials;
  /** Nodes, reached with the credentials. */
  readonly nodes: Nodes;
  readonly view: ClusterView;
  /** Cluster access of the engine. */
  readonly cluster: RunCluster;
  /** Fence in front of every change of the cluster. */
  readonly fence: Fence;
}

interface RunConnectionOptions {
  /** Connection options of the nodes. */
  readonly to: ContextNodes;
  /** Vault with the keys of later credentials; read when one is needed. */
  readonly vault: Pick<Vault, "read">;
  readonly clock: OperationClock;
  readonly signal: AbortSignal;
  /** True to refuse changes before they are sent; default false. */
  readonly readOnly?: boolean;
  /** Cluster that the run creates, until its first node has joined. */
  readonly created?: NewCluster | undefined;
}

/** Connects to the cluster of a context; nothing is sent. */
export function connectRun(
  { to, vault, clock, signal, readOnly = false, created }: RunConnectionOptions,
): RunConnection {
  const fence = createFence();
  const options = { ...to, leave: fence.leave };
  const { context: name, endpoints, nodes, identity, nodeTimeoutMs } = options;
  const { kubernetesServer, osconfig } = to;
  const link = linkRun(
    {
      home: { name, endpoints, nodes, osconfig },
      identity,
      connect(to, shown) {
        const transport = toEndpoints(to, shown, options);
        return readOnly ? readingOnly(transport) : transport;
      },
      vault,
      signal,
      unaryMs: nodeTimeoutMs,
    },
    fence,
    clock,
    (transport) => {
      const opened = openNodes({ ...options, transport });
      return readOnly ? { ...opened, unconfigured: refuseConnection } : opened;
    },
    (access) => {
      const kubernetes = openKubernetes({
        ...access,
        server: kubernetesServer ?? access.server,
      });
      return readOnly
        ? readingKubernetes(kubernetes)
        : fence.kubernetes(kubernetes);
    },
    created,
  );
  return { ...link, context: name, crt: identity.crt };
}

/**
 * Assembles the connection of a run; nothing is sent.
 *
 * @param open Opens the nodes with the credentials.
 * @param kubernetes Opens the Kubernetes client.
 */
export function linkRun(
  credentials: Omit<RunCredentialsOptions, "findEndpoint">,
  fence: Fence,
  clock: OperationClock,
  open: (transport: Transport) => Nodes,
  kubernetes: (access: KubernetesAccess) => Kubernetes,
  created?: NewCluster,
): Omit<RunConnection, "context" | "crt"> {
  const known: { view?: ClusterView } = {};
  const ring = createRunCredentials({
    ...credentials,
    findEndpoint: async (node) =>
      memberNamed(await known.view?.members() ?? [], node)?.address ?? node,
  });
  const nodes = open(ring.transport);
  const view = known.view = viewCluster(nodes, clock, kubernetes);
  return {
    ring,
    nodes,
    view,
    fence,
    cluster: reachCluster(nodes, view, clock, credentials.signal, created),
    [Symbol.dispose]() {
      view[Symbol.dispose]();
      nodes.close();
    },
  };
}

function refuseConnection(address: string): Promise<never> {
  return Promise.reject(onlyRead(`connect to ${address} directly`));
}

/** Signal for the calls of a run: aborts at its end and, until the run claims signals, on an interrupt. */
export function callSignal(
  { claimSignals, signal }: Pick<RunSession, "claimSignals" | "signal">,
  ended: AbortSignal,
): AbortSignal {
  // If signals cannot be claimed, an interrupt is a stop request, and calls continue.
  return claimSignals === undefined ? ended : AbortSignal.any([ended, signal]);
}
