/** State of the simulated Kubernetes of one cluster. */

import type { Clock } from "../clock/clock.ts";
import type { ClusterFacts } from "../node/node.ts";
import type { ObjectStore } from "./store.ts";

/** How long pods take. */
export interface PodPace {
  /** From being placed on a node to running, in milliseconds. */
  readonly startMs: number;
  /** From being deleted to being gone, in milliseconds. */
  readonly stopMs: number;
}

/** Kubernetes of one cluster. */
export interface KubernetesState {
  /** The cluster. */
  readonly cluster: ClusterFacts;
  /** Its time. */
  readonly clock: Pick<Clock, "now">;
  /** Its objects. */
  readonly store: ObjectStore;
  /** When pods that were placed run, or pods that are deleted are gone, by identity; milliseconds since 1970. */
  readonly due: Map<string, number>;
  /** How long pods take. */
  readonly pace: PodPace;
}
