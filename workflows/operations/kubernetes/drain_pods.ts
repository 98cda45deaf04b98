import { poll } from "../../../lib/poll.ts";
import type { OperationProgress } from "../operation.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import { type Kubernetes, KubernetesError } from "../../kubernetes/client.ts";
import { deletePod, evict, type Pod, podsOn } from "../../kubernetes/nodes.ts";

/** Which pods may be lost. */
export type DrainLimits = {
  /** Whether pods that no controller recreates may go. */
  readonly force: boolean;
  /** Whether data in volumes of a pod's own may go. */
  readonly deleteEmptydirData: boolean;
};

/** What happens to the pods of a node. */
export interface DrainPlan {
  readonly moving: readonly Pod[];
  readonly finished: readonly Pod[];
  /** Left where they are: they belong to the node. */
  readonly staying: readonly Pod[];
  /** Pods that may not go, and why. */
  readonly forbidden: readonly string[];
}

interface DrainProgress {
  readonly kubernetes: Kubernetes;
  readonly node: string;
  /** Which pods may be lost. */
  readonly limits: DrainLimits;
  readonly signal: AbortSignal;
  readonly clock: OperationClock;
}

/** How a drain ended. */
export interface DrainResult {
  /** Number of pods that were moved or deleted. */
  readonly moved: number;
  /** Number of pods that stay with their node. */
  readonly staying: number;
  /** Pods that are left, each with the reason; empty when all are gone. */
  readonly left: readonly string[];
  /** Pods that came meanwhile and may not go, and why. */
  readonly forbidden: readonly string[];
}

/** Time between two looks, in milliseconds. */
const everyMs = 500;

/** Longest time until a pod that was held back is asked again, in milliseconds. */
const longestMs = 5_000;

/** Sorts pods by what a drain does with them. */
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

/** Name of a pod, for people: `default/web-1`. */
export function podName(
  { namespace, name }: Pick<Pod, "namespace" | "name">,
): string {
  return `${namespace}/${name}`;
}

/**
 * Moves pods off a closed node and waits until they are gone.
 *
 * A pod that a disruption budget holds back is asked again, ever more seldom.
 * While Kubernetes does not answer, it is waited for.
 *
 * @returns How it ended, also when the signal aborts.
 * @throws {KubernetesError} What Kubernetes says, when asking again cannot help.
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
      const text = listStates(rest, asked).join("; ");
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
  /** True when it was asked to go, false while it is held back. */
  readonly goes: boolean;
  readonly why?: string;
  /** When it is asked again, in milliseconds since 1970. */
  readonly next: number;
  /** Time until then, in milliseconds. */
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
    // It is gone, or another one has its name.
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

function listStates(
  pods: readonly Pod[],
  asked: ReadonlyMap<string, Eviction>,
): readonly string[] {
  return pods.map((pod) =>
    `${podName(pod)}: ${asked.get(pod.uid)?.why ?? "it is stopping"}`
  );
}

/** Not now, or not while the server is in trouble. */
function isHeldBack({ code }: KubernetesError): boolean {
  return code === 429 || code >= 500;
}

/** Whether Kubernetes may answer when it is asked again: it is on its way up, or in trouble. */
export function isPassing(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError &&
    (error.code === 0 || isHeldBack(error));
}
