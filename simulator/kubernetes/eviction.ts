import { triggerFault } from "../state/faults.ts";
import { ApiError, conflict, type StatusCause } from "./api_error.ts";
import {
  kinds,
  type KubeObject,
  readFields,
} from "../state/kubernetes_objects.ts";
import {
  isFinished,
  isHealthy,
  isTerminating,
  readNodeName,
  readPhase,
} from "./pod_objects.ts";
import { matchLabels } from "./selectors.ts";
import { type KubernetesState, timestamp } from "./store.ts";

/** Time from the deletion of a pod to its removal, in milliseconds. */
const podStopMs = 50;

/**
 * Deletes a pod; it is removed once its kubelet has stopped it.
 *
 * @param options Options of the request: `gracePeriodSeconds`, `preconditions`.
 * @returns The current pod.
 * @throws {ApiError} If the pod does not match the preconditions.
 */
export function deletePod(
  state: KubernetesState,
  pod: KubeObject,
  options: unknown,
): KubeObject {
  const { store, clock, due } = state;
  const { gracePeriodSeconds, preconditions } = readFields(options);
  const { metadata } = pod;
  const { uid = metadata.uid } = readFields(preconditions);
  if (uid !== metadata.uid) {
    const why =
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(kinds.pods, metadata.name, why);
  }
  if (gracePeriodSeconds === 0 || readNodeName(pod) === "" || isFinished(pod)) {
    due.delete(metadata.uid);
    store.remove(kinds.pods, metadata);
    return pod;
  }
  if (isTerminating(pod)) return pod;
  const at = clock.now() + podStopMs;
  due.set(metadata.uid, at);
  return store.replace(kinds.pods, {
    ...pod,
    metadata: { ...metadata, deletionTimestamp: timestamp(at) },
  });
}

/** Evicts a pod. Throws ApiError with code 429 if a disruption budget blocks it. */
export function evictPod(
  state: KubernetesState,
  pod: KubeObject,
  eviction: unknown,
): void {
  const isPast = isFinished(pod) || isTerminating(pod) ||
    readPhase(pod) === "Pending";
  if (!isPast) checkBudgets(state, pod);
  deletePod(state, pod, readFields(eviction).deleteOptions);
}

function checkBudgets(state: KubernetesState, pod: KubeObject): void {
  const { name } = pod.metadata;
  const node = state.cluster.nodes.find(({ identity }) =>
    identity.hostname === readNodeName(pod)
  );
  if (node && triggerFault(node, "pdb-blocks", "Eviction")) {
    throw tooMany(name, "blocked", {
      expectedPods: 1,
      currentHealthy: 1,
      desiredHealthy: 1,
      disruptionsAllowed: 0,
    });
  }
  const [budget, ...others] = listBudgets(state, pod);
  if (others.length > 0) {
    throw new ApiError({
      code: 500,
      reason: "InternalError",
      message:
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    });
  }
  if (budget === undefined) return;
  const standing = budgetStatus(state, budget);
  if (standing.disruptionsAllowed > 0) return;
  throw tooMany(name, budget.metadata.name, standing);
}

function tooMany(
  name: string,
  budget: string,
  standing: BudgetStatus,
): ApiError {
  return new ApiError({
    code: 429,
    reason: "TooManyRequests",
    message:
      "Cannot evict pod as it would violate the pod's disruption budget.",
    name,
    causes: [budgetCause(budget, standing)],
  });
}

interface BudgetStatus {
  readonly expectedPods: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly disruptionsAllowed: number;
}

function listBudgets(
  { store }: Pick<KubernetesState, "store">,
  pod: KubeObject,
): readonly KubeObject[] {
  return store.list(kinds.poddisruptionbudgets, pod.metadata.namespace)
    .filter(({ spec }) => matchLabels(readFields(spec).selector)(pod));
}

/** Computes the status of a budget. */
export function budgetStatus(
  { store }: Pick<KubernetesState, "store">,
  { metadata, spec }: KubeObject,
): BudgetStatus {
  const { selector, minAvailable, maxUnavailable } = readFields(spec);
  const pods = store.list(kinds.pods, metadata.namespace)
    .filter((pod) => matchLabels(selector)(pod) && !isFinished(pod));
  const currentHealthy = pods.filter(isHealthy).length;
  // Terminating pods have been replaced already.
  const expectedPods =
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .length;
  const desiredHealthy = maxUnavailable === undefined
    ? parsePart(minAvailable, expectedPods)
    : Math.max(0, expectedPods - parsePart(maxUnavailable, expectedPods));
  return {
    expectedPods,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
  };
}

/** Cause of a budget blocking an eviction. */
export function budgetCause(
  name: string,
  { desiredHealthy, currentHealthy }: BudgetStatus,
): StatusCause {
  return {
    reason: "DisruptionBudget",
    message:
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
  };
}

/** Resolves a number or a percentage of the total. `round`: rounding of percentages. */
export function parsePart(
  value: unknown,
  whole: number,
  round: (share: number) => number = Math.ceil,
): number {
  const text = String(value ?? 0);
  const number = Number(text.replace(/%$/, ""));
  return text.endsWith("%") ? round((number * whole) / 100) : number;
}
