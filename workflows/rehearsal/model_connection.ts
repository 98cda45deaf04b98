/** The way of a simulated process to a model cluster. */

import { memberNamed } from "../../transport/node/members.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import { restoreCredentials } from "../ca/credentials.ts";
import {
  createRunCredentials,
  type RunCredentials,
} from "../ca/run_credentials.ts";
import { type ClusterView, viewCluster } from "../operations/cluster_view.ts";
import {
  reachCluster,
  type RunCluster,
} from "../runbooks/engine/run_cluster.ts";
import { createFence, type Fence } from "../runbooks/lock/fence.ts";
import type { Vault } from "../runbooks/module.ts";
import type { StepEnvironment } from "../runbooks/run/run_session.ts";
import type { ModelCluster } from "./model/model_cluster.ts";
import { openModelKubernetes } from "./model/model_kubernetes.ts";
import { connectModel, modelNodes } from "./model/model_nodes.ts";
import type { Life } from "./process_life.ts";

/** The way to a model cluster. */
export interface ModelLink extends Disposable {
  /** Credentials. */
  readonly ring: RunCredentials;
  /** The nodes, over the credentials. */
  readonly nodes: Nodes;
  /** Opens others, over the same connections. */
  readonly reopen: NonNullable<StepEnvironment["reopen"]>;
  /** The cluster of these nodes. */
  readonly view: ClusterView;
  /** The cluster as the engine reaches it. */
  readonly cluster: RunCluster;
  /** What every change of the cluster passes. */
  readonly fence: Fence;
}

/** Name of the context. */
const context = "rehearsal";

/** Opens the way; all calls go through the life of the process. */
export async function openModelLink(
  cluster: ModelCluster,
  life: Life,
  vault: Pick<Vault, "read" | "names" | "find">,
): Promise<ModelLink> {
  const endpoints = cluster.truth().nodes.flatMap(
    ({ role, isPart, address }) =>
      role === "controlplane" && isPart ? [address] : [],
  );
  const { clock, dead } = life;
  const known: { view?: ClusterView } = {};
  const inner = createFence();
  const fence: Fence = {
    ...inner,
    // A node may wait for the answer that another one asked for: time goes on meanwhile.
    close: (guard) => inner.close(() => life.work.outside(guard)),
  };
  const connect: Parameters<typeof createRunCredentials>[0]["connect"] = (
    addresses,
    identity,
  ) =>
    fence.transport(life.transport(connectModel(cluster, addresses, identity)));
  const ring = createRunCredentials({
    home: { name: context, endpoints, nodes: endpoints },
    identity: cluster.admin,
    connect,
    vault,
    placeOf: async (node) =>
      memberNamed(await known.view?.members() ?? [], node)?.address ?? node,
    signal: dead,
  });
  await restoreCredentials(ring, vault);
  const open = (names: readonly string[]) =>
    modelNodes({
      endpoints,
      nodes: names,
      transport: ring.transport,
      connect,
      identity: cluster.admin,
      signal: dead,
    });
  const nodes = open(["@all"]);
  const view = viewCluster(
    nodes,
    clock,
    (access) =>
      fence.kubernetes(life.kubernetes(openModelKubernetes(cluster, access))),
  );
  known.view = view;
  return {
    ring,
    nodes,
    // Whoever closes them would close the connections of the whole run.
    reopen: (selection) => ({ ...open(selection.nodes), close() {} }),
    view,
    fence,
    cluster: reachCluster(nodes, view, clock, dead),
    [Symbol.dispose]() {
      view[Symbol.dispose]();
      nodes.close();
    },
  };
}
