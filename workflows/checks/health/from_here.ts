/** Health that osctl checks itself, in a file of its own since a node that checks needs none of this. */

import type { Nodes } from "../../../transport/node/nodes.ts";
import {
  type ClusterView,
  viewCluster,
} from "../../operations/cluster_view.ts";
import { healthChecks } from "./all.ts";
import { e2eCheck } from "./e2e_check.ts";
import {
  discoveredNodes,
  type HealthCheck,
  type HealthNodes,
  kubernetesAt,
  type NamedNodes,
  namedNodes,
} from "./health_site.ts";
import { type HealthRow, type HealthWait, runHealth } from "./run_health.ts";

/** What is checked. */
export interface HealthFromHere {
  /** Nodes of the cluster; any of them may be asked. */
  readonly nodes: Nodes;
  /** Nodes there have to be; members of the cluster when none is named. */
  readonly named: NamedNodes;
  /** Kubernetes API as the user gave it; default that of the kubeconfig. */
  readonly endpoint: string | undefined;
  /** How waiting continues. */
  readonly wait: HealthWait;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
}

/** Waits for every condition of a healthy cluster; throws like {@linkcode runHealth}. */
export async function* healthFromHere(
  options: HealthFromHere,
): AsyncGenerator<HealthRow> {
  const { controlPlanes, workers } = options.named;
  const isNamed = controlPlanes.length + workers.length > 0;
  yield* look(
    options,
    healthChecks,
    (cluster) => isNamed ? namedNodes(options.named) : discoveredNodes(cluster),
  );
}

/** Runs tests in Kubernetes; throws like {@linkcode runHealth}. */
export async function* testsFromHere(
  options: HealthFromHere,
): AsyncGenerator<HealthRow> {
  const { clock, timeoutMs } = options.wait;
  yield* look(options, [e2eCheck(clock, timeoutMs)], discoveredNodes);
}

async function* look(
  { nodes: all, endpoint, wait, signal }: HealthFromHere,
  checks: readonly HealthCheck[],
  find: (cluster: ClusterView) => HealthNodes | Promise<HealthNodes>,
): AsyncGenerator<HealthRow> {
  using cluster = viewCluster(all, wait.clock);
  const nodes = await find(cluster);
  using kubernetes = kubernetesAt(cluster, nodes, endpoint);
  const site = { cluster, signal, nodes, kubernetes: kubernetes.open };
  yield* runHealth(checks, site, wait);
}
