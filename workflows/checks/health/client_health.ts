/** Health checks run by osctl itself; a separate file, since checks run by a node need none of this. */

import { OsctlError, TimeoutError } from "../../../errors.ts";
import type { Nodes } from "../../../transport/node/nodes.ts";
import { runTests } from "../../conformance/run_tests.ts";
import {
  defaultResultsImage,
  imageFor,
} from "../../conformance/test_objects.ts";
import {
  type ClusterView,
  viewCluster,
} from "../../operations/cluster_view.ts";
import { alarmText } from "../../etcd/quorum.ts";
import { holds, skip } from "../check.ts";
import { checksBeforeReadiness, healthChecks } from "./all.ts";
import {
  discoveredNodes,
  type HealthCheck,
  type HealthNodes,
  kubernetesAt,
  type NamedNodes,
  namedNodes,
} from "./health_context.ts";
import { type HealthRow, type HealthWait, runHealth } from "./run_health.ts";

/** Options of health checks. */
export interface HealthFromHere {
  /** Nodes of the cluster; any of them may be called. */
  readonly nodes: Nodes;
  /** Expected nodes; default the cluster members. */
  readonly named: NamedNodes;
  /** Kubernetes API as the user gave it; default that of the kubeconfig. */
  readonly endpoint: string | undefined;
  /** True to skip node readiness in Kubernetes. */
  readonly isReadinessSkipped?: boolean;
  readonly wait: HealthWait;
  readonly signal: AbortSignal;
}

/** First, as no wait ends an alarm; runs have a check of their own. */
const etcdAlarms: HealthCheck = {
  name: "etcd to have no alarms",
  limitMs: 60_000,
  async run({ cluster }) {
    const { alarms, healthy } = (await cluster.readEtcd()).facts;
    if (alarms.length > 0) {
      return { ok: false, reason: alarmText(alarms), final: true };
    }
    return healthy.length > 0
      ? holds("no alarms")
      : skip("no etcd member answers");
  },
};

/** Waits for every condition of a healthy cluster; throws like {@linkcode runHealth}. */
export async function* healthFromHere(
  options: HealthFromHere,
): AsyncGenerator<HealthRow> {
  const { controlPlanes, workers } = options.named;
  const isNamed = controlPlanes.length + workers.length > 0;
  const { isReadinessSkipped } = options;
  yield* look(
    options,
    [etcdAlarms, ...isReadinessSkipped ? checksBeforeReadiness : healthChecks],
    (cluster) => isNamed ? namedNodes(options.named) : discoveredNodes(cluster),
  );
}

/** Images of the test pod; `undefined` for the defaults. */
interface TestImages {
  /** Image of the test runner; default the one of the Kubernetes version. */
  readonly image: string | undefined;
  /** Image with a shell to print the result files; default {@linkcode defaultResultsImage}. */
  readonly resultsImage: string | undefined;
}

/** Tests to run: basic functions of pods and services. */
const focus = [
  "Pods should be submitted and removed",
  "Services should serve a basic endpoint from pods",
  "Services should be able to change the type from ExternalName to ClusterIP",
].join("|");

/**
 * Runs tests in Kubernetes.
 *
 * @throws {OsctlError} After the row, when they failed; `TimeoutError` when they did not finish in time.
 */
export async function* testsFromHere(
  { nodes: all, endpoint, wait, signal }: HealthFromHere,
  images: TestImages,
): AsyncGenerator<HealthRow> {
  const check = "tests in Kubernetes to succeed";
  const { clock, timeoutMs: limitMs, report } = wait;
  using cluster = viewCluster(all, clock);
  const nodes = await discoveredNodes(cluster);
  using lazy = kubernetesAt(cluster, nodes, endpoint);
  const kubernetes = await lazy.open();
  const startedAt = clock.now();
  const row = (state: HealthRow["state"], reason: string): HealthRow => ({
    ...{ check, state, reason },
    took: Math.round((clock.now() - startedAt) / 100) / 10,
  });
  report(check, "...");
  let reason: string;
  try {
    const { gitVersion } = await kubernetes.request("/version", { signal });
    const { code, progress } = await runTests({
      ...{ kubernetes, clock, limitMs, signal },
      report: (text) => report(check, text),
    }, {
      ...{ focus, skip: "", processes: 2 },
      image: images.image ?? imageFor(String(gitVersion)),
      resultsImage: images.resultsImage ?? defaultResultsImage,
    });
    if (code === 0) return yield row("ok", "");
    if (code === undefined) {
      throw new TimeoutError(`The tests did not finish in time: ${progress}`);
    }
    reason = `they exited with status ${code}`;
  } catch (error) {
    if (!(error instanceof OsctlError) || signal.aborted) throw error;
    yield row("failed", error.message);
    const Failure = error instanceof TimeoutError ? TimeoutError : OsctlError;
    throw new Failure(`Failed waiting for ${check}: ${error.message}`);
  }
  yield row("failed", reason);
  throw new OsctlError(`Failed waiting for ${check}: ${reason}`);
}

async function* look(
  { nodes: all, endpoint, wait, signal }: HealthFromHere,
  checks: readonly HealthCheck[],
  find: (cluster: ClusterView) => HealthNodes | Promise<HealthNodes>,
): AsyncGenerator<HealthRow> {
  using cluster = viewCluster(all, wait.clock);
  const nodes = await find(cluster);
  using kubernetes = kubernetesAt(cluster, nodes, endpoint);
  const context = { cluster, signal, nodes, kubernetes: kubernetes.open };
  yield* runHealth(checks, context, wait);
}
