/** The cluster of a run, over every credential the run has. */

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
import { reachCluster, type RunCluster } from "../engine/run_cluster.ts";
import { createFence, type Fence } from "../lock/fence.ts";
import type { Vault } from "../../vault/secrets.ts";
import { onlyRead, readingKubernetes, readingOnly } from "../lock/read_only.ts";
import type { ContextNodes, RunSession } from "./run_session.ts";

/** The cluster of a run. */
export interface RunConnection extends Disposable {
  readonly context: string;
  /** Client certificate of the context, PEM; absent where a proxy needs none. */
  readonly crt: string | undefined;
  readonly ring: RunCredentials;
  /** The nodes, over the credentials. */
  readonly nodes: Nodes;
  readonly view: ClusterView;
  /** The cluster as the engine reaches it. */
  readonly cluster: RunCluster;
  /** What every change of the cluster passes. */
  readonly fence: Fence;
}

interface RunConnectionOptions {
  /** What the nodes are opened with. */
  readonly to: ContextNodes;
  /** Where the keys of later credentials are; asked when one is needed. */
  readonly vault: Pick<Vault, "read">;
  readonly clock: OperationClock;
  readonly signal: AbortSignal;
  /** True to refuse what could change something before it is sent; default false. */
  readonly readOnly?: boolean;
}

/** Connects to the cluster of a context; nothing is sent. */
export function connectRun(
  { to, vault, clock, signal, readOnly = false }: RunConnectionOptions,
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
      return readOnly ? { ...opened, unconfigured: refused } : opened;
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
  );
  return { ...link, context: name, crt: identity.crt };
}

/**
 * Puts credentials, nodes and cluster of a run together; nothing is sent.
 *
 * @param open Opens the nodes over the credentials.
 * @param kubernetes Opens Kubernetes.
 */
export function linkRun(
  credentials: Omit<RunCredentialsOptions, "placeOf">,
  fence: Fence,
  clock: OperationClock,
  open: (transport: Transport) => Nodes,
  kubernetes: (access: KubernetesAccess) => Kubernetes,
): Omit<RunConnection, "context" | "crt"> {
  const known: { view?: ClusterView } = {};
  const ring = createRunCredentials({
    ...credentials,
    placeOf: async (node) =>
      memberNamed(await known.view?.members() ?? [], node)?.address ?? node,
  });
  const nodes = open(ring.transport);
  const view = known.view = viewCluster(nodes, clock, kubernetes);
  return {
    ring,
    nodes,
    view,
    fence,
    cluster: reachCluster(nodes, view, clock, credentials.signal),
    [Symbol.dispose]() {
      view[Symbol.dispose]();
      nodes.close();
    },
  };
}

function refused(address: string): Promise<never> {
  return Promise.reject(onlyRead(`connect to ${address} directly`));
}

/** What ends the calls of a run: its end; and, until the run takes signals over, an interrupt. */
export function callSignal(
  { claimSignals, signal }: Pick<RunSession, "claimSignals" | "signal">,
  ended: AbortSignal,
): AbortSignal {
  // Where signals cannot be taken over, an interrupt is a stop request, and calls continue.
  return claimSignals === undefined ? ended : AbortSignal.any([ended, signal]);
}
