/** Disruption budgets: how many pods may be away. */

import type { StatusCause } from "./api_error.ts";
import { fieldsOf, kinds, type KubeObject } from "./objects.ts";
import { isFinished, isHealthy } from "./pod_objects.ts";
import { matchLabels } from "./selectors.ts";
import type { KubernetesState } from "./state.ts";

/** How a budget stands. */
export interface Standing {
  /** Pods it is about. */
  readonly expectedPods: number;
  /** Those of them that run. */
  readonly currentHealthy: number;
  /** How many have to. */
  readonly desiredHealthy: number;
  /** How many may go now. */
  readonly disruptionsAllowed: number;
}

/** Budgets a pod is in. */
export function budgetsOf(
  { store }: Pick<KubernetesState, "store">,
  pod: KubeObject,
): readonly KubeObject[] {
  return store.list(kinds.poddisruptionbudgets, pod.metadata.namespace)
    .filter(({ spec }) => matchLabels(fieldsOf(spec).selector)(pod));
}

/** Looks how a budget stands. */
export function standingOf(
  { store }: Pick<KubernetesState, "store">,
  { metadata, spec }: KubeObject,
): Standing {
  const { selector, minAvailable, maxUnavailable } = fieldsOf(spec);
  const pods = store.list(kinds.pods, metadata.namespace)
    .filter((pod) => matchLabels(selector)(pod) && !isFinished(pod));
  const currentHealthy = pods.filter(isHealthy).length;
  // Pods on their way out have been replaced already.
  const expectedPods =
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .length;
  const desiredHealthy = maxUnavailable === undefined
    ? partOf(minAvailable, expectedPods)
    : Math.max(0, expectedPods - partOf(maxUnavailable, expectedPods));
  return {
    expectedPods,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
  };
}

/** Why a budget lets no pod go. */
export function budgetCause(
  name: string,
  { desiredHealthy, currentHealthy }: Standing,
): StatusCause {
  return {
    reason: "DisruptionBudget",
    message:
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
  };
}

/** A number, or a percentage of the whole, rounded up. */
function partOf(value: unknown, whole: number): number {
  const text = String(value ?? 0);
  const number = Number(text.replace(/%$/, ""));
  return text.endsWith("%") ? Math.ceil((number * whole) / 100) : number;
}
