/** `k8s.listStaleTrust`: pods to restart after a rotation of the Kubernetes CA. */

import { readRotation } from "../ca/rotation.ts";
import { type Kubernetes, readFields } from "../kubernetes/client.ts";
import type { Module } from "./module.ts";

/** Lists pods that may trust only the old CA. */
export const listStaleTrust: Module = {
  kind: "read",
  name: "k8s.listStaleTrust",
  summary: "List pods that were started before the CA rotation",
  scope: "cluster",
  input: {},
  output: {
    pods: {
      type: "list",
      items: { type: "any", summary: "Namespace, name, node and start time" },
      summary: "Pods that may need a restart",
    },
    total: { type: "int", summary: "Number of pods" },
  },
  retryable: ["unavailable", "deadline"],
  async *read({ cluster, vault, signal }) {
    const { madeAt } = await readRotation({ vault }, "kubernetes");
    yield { text: `looking for pods started before ${madeAt}` };
    const kubernetes = await cluster.kubernetes();
    const pods = await stalePods(kubernetes, madeAt, signal);
    return { pods: pods.map((pod) => ({ ...pod })), total: pods.length };
  },
};

interface StalePod {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /** Start of the rotation, ISO 8601. */
  readonly startedAt: string;
}

/**
 * Lists pods that mount the CA and started before a time.
 *
 * The mounted file is replaced, but programs keep the CA they have read.
 *
 * @param since The time, ISO 8601.
 */
async function stalePods(
  kubernetes: Pick<Kubernetes, "request">,
  since: string,
  signal: AbortSignal,
): Promise<readonly StalePod[]> {
  const { items } = await kubernetes.request("/api/v1/pods", { signal });
  const pods = Array.isArray(items) ? items.map(readFields) : [];
  return pods.flatMap((pod) => {
    const status = readFields(pod.status);
    const { startTime, phase } = status;
    const isOver = phase === "Succeeded" || phase === "Failed";
    if (isOver || typeof startTime !== "string") return [];
    if (Date.parse(startTime) >= Date.parse(since)) return [];
    const { namespace, name } = readFields(pod.metadata);
    const { nodeName } = readFields(pod.spec);
    if (!usesToken(pod.spec)) return [];
    return [{
      namespace: String(namespace ?? ""),
      name: String(name ?? ""),
      node: String(nodeName ?? ""),
      startedAt: startTime,
    }];
  });
}

/** The CA is mounted with the token, in a projected volume. */
function usesToken(spec: unknown): boolean {
  const { volumes } = readFields(spec);
  if (!Array.isArray(volumes)) return true;
  return volumes.map(readFields).some(({ projected }) => {
    const { sources } = readFields(projected);
    return Array.isArray(sources) &&
      sources.map(readFields).some((source) => "serviceAccountToken" in source);
  });
}
