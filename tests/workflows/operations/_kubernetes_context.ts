/** A node for operations that work on Kubernetes, and that Kubernetes. */

import type { NodeContext } from "../../../workflows/operations/operation.ts";
import { viewCluster } from "../../../workflows/operations/cluster_view.ts";
import { fakeNodes } from "../../_fake.ts";
import {
  type FakeKubernetes,
  startKubernetes,
} from "../kubernetes/_kubernetes.ts";

/** A context, and what is behind it. */
export interface KubernetesContext extends FakeKubernetes {
  /** Target of the operation: the first worker. */
  readonly context: NodeContext;
}

/**
 * Makes one.
 *
 * @param workers Number of workers.
 * @param limitMs Time after which the signal aborts.
 */
export async function kubernetesContext(
  workers: number,
  limitMs?: number,
): Promise<KubernetesContext> {
  const fake = await startKubernetes({ workers }, limitMs);
  const { nodes } = fakeNodes({
    a: {
      get: () => ({
        resource: { spec: { yamlSpec: "nodename: lab-worker-1\n" } },
      }),
    },
  });
  const { clock, signal, kubernetes } = fake;
  const view = viewCluster(nodes, clock);
  const cluster = { ...view, kubernetes: () => Promise.resolve(kubernetes) };
  const client = await nodes.at("a");
  return { ...fake, context: { node: "a", client, cluster, signal, clock } };
}

/** Runs a generator to its end. */
export async function untilResult<T>(
  steps: AsyncGenerator<unknown, T>,
): Promise<T> {
  while (true) {
    const { done, value } = await steps.next();
    if (done) return value;
  }
}
