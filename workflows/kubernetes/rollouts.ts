/** Rollout status of Deployments and DaemonSets. */

import {
  type Kubernetes,
  type KubernetesObject,
  readFields,
} from "./client.ts";
import { formatName, locateObject } from "./manifest_objects.ts";
import { listNodes } from "./nodes.ts";
import { objectPath, readObjects } from "./objects.ts";

interface OpenRollout {
  /** Progress: `apps/v1.DaemonSet/kube-system/kube-proxy: 3 of 5 pods updated, 4 ready`. */
  readonly reason: string;
  /** True when it cannot continue until unavailable nodes are back or removed from Kubernetes. */
  readonly isBlocked: boolean;
}

/**
 * Checks the rollout of a Deployment or DaemonSet.
 *
 * @param options.skipUnreachable True to tolerate missing pods on nodes that are not ready, but not all pods; only
 * then can a rollout be blocked.
 * @returns `undefined` when it is complete, and for the strategy OnDelete, which does not replace pods.
 */
export async function openRollout(
  kubernetes: Kubernetes,
  manifest: KubernetesObject,
  { skipUnreachable, signal }: {
    readonly skipUnreachable: boolean;
    readonly signal: AbortSignal;
  },
): Promise<OpenRollout | undefined> {
  if (manifest.kind !== "Deployment" && manifest.kind !== "DaemonSet") {
    return undefined;
  }
  const path = await objectPath(kubernetes, locateObject(manifest), signal);
  const { metadata, spec, status } = await kubernetes.request(path, { signal });
  const { type, rollingUpdate } = readFields(readFields(spec).updateStrategy);
  if (type === "OnDelete") return undefined;
  const seen = readFields(status);
  const count = (name: string) => Number(seen[name] ?? 0);
  // The status is stale until the controller has observed the change.
  const isStale = count("observedGeneration") <
    Number(readFields(metadata).generation ?? 0);
  const isDaemonSet = manifest.kind === "DaemonSet";
  const [wanted, updated, ready] = isDaemonSet
    ? [
      count("desiredNumberScheduled"),
      count("updatedNumberScheduled"),
      count("numberReady"),
    ]
    : [
      Number(readFields(spec).replicas ?? 1),
      count("updatedReplicas"),
      count("readyReplicas"),
    ];
  // Old pods count as ready until they are replaced.
  const old = Math.max(0, count("replicas") - count("updatedReplicas"));
  const lacking = isStale
    ? Infinity
    : Math.max(old, wanted - Math.min(updated, ready));
  if (lacking <= 0) return undefined;
  const down = isStale || !skipUnreachable ? 0 : await podsNotReady(
    kubernetes,
    { ...locateObject(manifest), spec },
    signal,
  );
  if (ready > 0 && lacking <= down) return undefined;
  const { maxUnavailable = 1, maxSurge = 0 } = readFields(rollingUpdate);
  const progress = `${updated} of ${wanted} pods updated, ${ready} ready`;
  return {
    reason: `${formatName(manifest)}: ${progress}${
      old === 0 ? "" : `, ${old} old`
    }`,
    // Pods on unavailable nodes use up `maxUnavailable`.
    isBlocked: isDaemonSet && ready > 0 && down > 0 &&
      podsIn(maxSurge, wanted) === 0 && down >= podsIn(maxUnavailable, wanted),
  };
}

/** Counts the pods of a Deployment or DaemonSet on nodes that are not ready. */
async function podsNotReady(
  kubernetes: Kubernetes,
  { namespace = "", spec }: {
    readonly namespace?: string;
    readonly spec: unknown;
  },
  signal: AbortSignal,
): Promise<number> {
  const { matchLabels } = readFields(readFields(spec).selector);
  const labelSelector = Object.entries(readFields(matchLabels))
    .map(([name, value]) => `${name}=${value}`).join(",");
  const choice = { apiVersion: "v1", kind: "Pod", namespace, labelSelector };
  const pods = await readObjects(kubernetes, choice, signal);
  const nodes = await listNodes(kubernetes, signal);
  const down = new Set(
    nodes.filter(({ ready }) => !ready).map(({ name }) => name),
  );
  return pods.filter(({ spec }) => down.has(String(readFields(spec).nodeName)))
    .length;
}

/** Resolves a number of pods. `value`: `2` or `25%`, rounded up. */
function podsIn(value: unknown, total: number): number {
  const [, share] = /^(\d+)%$/.exec(String(value)) ?? [];
  return share === undefined
    ? Number(value)
    : Math.ceil(Number(share) * total / 100);
}
