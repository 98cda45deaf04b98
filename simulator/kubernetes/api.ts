/** The API of one simulated Kubernetes, without a network. */

import type { Clock } from "../clock/clock.ts";
import type { ClusterFacts } from "../node/node.ts";
import { ApiError, apiError } from "./api_error.ts";
import { reconcile } from "./reconcile.ts";
import type { ApiAnswer, ApiRequest } from "./objects.ts";
import { answerRequest } from "./routes.ts";
import { hasQuorum } from "./availability.ts";
import {
  createStore,
  type KubernetesState,
  type ObjectStore,
  type PodPace,
} from "./store.ts";
import { createInitialObjects } from "./workloads.ts";

/** Kubernetes of one cluster. */
export interface KubernetesApi {
  /** Lets everything happen that is due by now; requests do that, too. */
  readonly reconcile: () => void;
  /** Answers a request of an administrator. */
  readonly request: (request: ApiRequest) => ApiAnswer;
  /** An object as it was when something happened last; also while no API server answers. */
  readonly find: ObjectStore["find"];
  /** Removes an object, whoever it belongs to. */
  readonly remove: ObjectStore["remove"];
}

const usualPace: PodPace = { startMs: 50, stopMs: 50 };

/** Makes the Kubernetes of a cluster whose nodes are not registered yet. */
export function createKubernetesApi(
  cluster: ClusterFacts,
  clock: Pick<Clock, "now">,
): KubernetesApi {
  const store = createStore(clock);
  const pace = usualPace;
  const state: KubernetesState = {
    cluster,
    clock,
    store,
    pace,
    due: new Map(),
  };
  createInitialObjects(state);
  return {
    reconcile: () => reconcile(state),
    request: (request) => respond(state, request),
    find: store.find,
    remove: store.remove,
  };
}

function respond(state: KubernetesState, request: ApiRequest): ApiAnswer {
  const [path] = request.path.split("?");
  const { kubernetes, nodes } = state.cluster;
  try {
    if (path === "/version") return { code: 200, body: version(kubernetes) };
    if (path === "/livez") return { code: 200, body: "ok" };
    if (!hasQuorum(nodes)) throw apiError("etcdTimeout");
    if (path === "/readyz" || path === "/healthz") {
      return { code: 200, body: "ok" };
    }
    reconcile(state);
    const answered = answerRequest(state, request);
    reconcile(state);
    return answered;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, body: error.body };
  }
}

function version(kubernetes: string) {
  const [major, minor] = kubernetes.split(".");
  return {
    major,
    minor,
    gitVersion: `v${kubernetes}`,
    gitTreeState: "clean",
    platform: "linux/amd64",
  };
}
