import { poll } from "../../../lib/poll.ts";
import { formatCount } from "../../../lib/text/count.ts";
import type { OperationProgress } from "../operation.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import { type Kubernetes, KubernetesError } from "../../kubernetes/client.ts";
import { deletePod, evict, type Pod, podsOn } from "../../kubernetes/nodes.ts";

/** Pods that may be lost. */
export type DrainLimits = {
  /** True to evict pods without a controller. */
  readonly force: boolean;
  /** True to lose data in emptyDir volumes. */
  readonly deleteEmptydirData: boolean;
};

/** Plan for the pods of a node. */
export interface DrainPlan {
  readonly moving: readonly Pod[];
  readonly finished: readonly Pod[];
  /** Pods that stay: they belong to the node. */
  readonly staying: readonly Pod[];
  /** Pods that may not be evicted, with reasons. */
  readonly forbidden: readonly string[];
}

interface DrainProgress {
  readonly kubernetes: Kubernetes;
  readonly node: string;
  readonly limits: DrainLimits;
  readonly signal: AbortSignal;
  readonly clock: OperationClock;
}

/** Result of a drain. */
export interface DrainResult {
  /** Number of pods evicted or deleted. */
  readonly moved: number;
  readonly staying: number;
  /** Remaining pods with reasons; empty when all are gone. */
  readonly left: readonly string[];
  /** New pods that may not be evicted, with reasons. */
  readonly forbidden: readonly string[];
}

/** Polling interval, in milliseconds. */
const everyMs = 500;

/** Maximum retry interval of a blocked eviction, in milliseconds. */
const longestMs = 5_000;

/** Sorts pods by their treatment in a drain. */
export function planDrain(
  pods: readonly Pod[],
  { force, deleteEmptydirData }: DrainLimits,
): DrainPlan {
  const of = (...kinds: readonly Pod["kind"][]) =>
    pods.filter(({ kind }) => kinds.includes(kind));
  const moving = of("movable", "unmanaged");
  return {
    moving,
    finished: of("finished"),
    staying: of("daemonset", "static"),
    forbidden: moving.flatMap((pod) => {
      if (pod.kind === "unmanaged" && !force) {
        return [`${podName(pod)}: no controller recreates it (--force)`];
      }
      return pod.hasLocalData && !deleteEmptydirData
        ? [`${podName(pod)}: it has local data (--delete-emptydir-data)`]
        : [];
    }),
  };
}

/** Display name of a pod: `default/web-1`. */
export function podName(
  { namespace, name }: Pick<Pod, "namespace" | "name">,
): string {
  return `${namespace}/${name}`;
}

/**
 * Evicts pods from a cordoned node and waits until they are gone.
 *
 * Evictions blocked by a disruption budget are retried with increasing intervals. Waits while Kubernetes does not
 * answer.
 *
 * @returns The result, also when the signal aborts.
 * @throws {KubernetesError} If a retry cannot help.
 */
export async function* drainPods(
  draining: DrainProgress,
): AsyncGenerator<OperationProgress, DrainResult> {
  const { signal, clock, limits } = draining;
  const asked = new Map<string, Eviction>();
  let seen: DrainPlan = nothing;
  let away: string | undefined;
  let reported = "";
  for await (const _ of poll({ clock, signal }, { everyMs })) {
    try {
      seen = planDrain(await look(draining), limits);
      away = undefined;
      if (seen.forbidden.length > 0) break;
      const rest = [...seen.moving, ...seen.finished];
      if (rest.length === 0) break;
      await Promise.all(rest.map((pod) => ask(draining, pod, asked)));
      const text = formatDraining(rest, asked);
      if (text !== reported) yield { text: reported = text };
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (signal.aborted) break;
      away = error.message;
      if (away !== reported) yield { text: reported = away };
    }
  }
  const rest = [...seen.moving, ...seen.finished];
  const left = [
    ...listStates(rest, asked),
    ...(seen === nothing && away === undefined ? [unknown] : []),
    ...(away === undefined ? [] : [away]),
  ];
  for (const { uid } of rest) asked.delete(uid);
  return {
    moved: [...asked.values()].filter(({ goes }) => goes).length,
    staying: seen.staying.length,
    left,
    forbidden: seen.forbidden,
  };
}

interface Eviction {
  /** True once evicted, false while blocked. */
  readonly goes: boolean;
  readonly why?: string;
  /** Next attempt, in milliseconds since 1970. */
  readonly next: number;
  /** Retry interval, in milliseconds. */
  readonly waitMs: number;
}

const unknown = "its pods are not known";

const nothing: DrainPlan = {
  moving: [],
  finished: [],
  staying: [],
  forbidden: [],
};

function look(
  { kubernetes, node, signal }: DrainProgress,
): Promise<readonly Pod[]> {
  return podsOn(kubernetes, node, signal);
}

async function ask(
  { kubernetes, signal, clock }: DrainProgress,
  pod: Pod,
  asked: Map<string, Eviction>,
): Promise<void> {
  const before = asked.get(pod.uid);
  if (before?.goes || (before?.next ?? 0) > clock.now()) return;
  const waitMs = Math.min(longestMs, 2 * (before?.waitMs ?? everyMs / 2));
  try {
    const send = pod.kind === "finished" ? deletePod : evict;
    await send(kubernetes, pod, signal);
    asked.set(pod.uid, { goes: true, next: 0, waitMs });
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    // It is gone, or was recreated.
    if (error.code === 404 || error.code === 409) return;
    if (!isHeldBack(error)) throw error;
    const next = clock.now() + waitMs;
    asked.set(pod.uid, {
      goes: false,
      why: error.message,
      next,
      waitMs,
    });
  }
}

/** Formats the progress: `draining, 3 pods left`, with the blocked ones. */
function formatDraining(
  pods: readonly Pod[],
  asked: ReadonlyMap<string, Eviction>,
): string {
  const blocked = listStates(
    pods.filter(({ uid }) => asked.get(uid)?.why !== undefined),
    asked,
  );
  const text = `draining, ${formatCount(pods.length, "pod")} left`;
  return blocked.length === 0 ? text : `${text}: ${blocked.join("; ")}`;
}

function listStates(
  pods: readonly Pod[],
  asked: ReadonlyMap<string, Eviction>,
): readonly string[] {
  return pods.map((pod) =>
    `${podName(pod)}: ${asked.get(pod.uid)?.why ?? "it is stopping"}`
  );
}

/** Blocked for now, or the server has problems. */
function isHeldBack({ code }: KubernetesError): boolean {
  return code === 429 || code >= 500;
}

/** Reports whether a retry may succeed: Kubernetes is starting, or has problems. */
export function isPassing(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError &&
    (error.code === 0 || isHeldBack(error));
}
