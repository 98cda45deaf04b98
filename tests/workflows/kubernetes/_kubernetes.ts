/** A simulated Kubernetes as operations see it, without a network; waiting for it takes no time. */

import {
  contentType,
  type Kubernetes,
  KubernetesError,
} from "../../../workflows/kubernetes/client.ts";
import type { ClusterOptions } from "../../../simulator/cluster/make_cluster.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import { openApi, type TestApi } from "../../simulator/kubernetes/_api.ts";

/** A Kubernetes, and what is behind it. */
export interface FakeKubernetes extends TestApi {
  readonly kubernetes: Kubernetes;
  /** Time; waiting lets it pass in the Kubernetes, too. */
  readonly clock: OperationClock;
  readonly signal: AbortSignal;
  readonly requests: readonly string[];
  /** Makes requests fail as if nothing answered, until it is called again. */
  readonly unplug: (isAway: boolean) => void;
}

/**
 * Makes one.
 *
 * @param options The cluster, `lab`.
 * @param limitMs Time after which the signal aborts.
 */
export async function startKubernetes(
  options: ClusterOptions = {},
  limitMs: number = Infinity,
): Promise<FakeKubernetes> {
  const api = await openApi(options);
  const late = new AbortController();
  const requests: string[] = [];
  let elapsed = 0;
  let away = false;
  return {
    ...api,
    requests,
    signal: late.signal,
    unplug: (isAway) => void (away = isAway),
    clock: {
      now: () => elapsed,
      sleep(ms) {
        elapsed += ms;
        api.pass(ms);
        if (elapsed >= limitMs) late.abort();
        return Promise.resolve();
      },
    },
    kubernetes: {
      [Symbol.dispose]() {},
      request(path, { method = "GET", patch = "merge", accept, body }) {
        const line = `${method} ${path}`;
        requests.push(line);
        if (away) {
          return Promise.reject(new KubernetesError(0, "Cannot reach it"));
        }
        const type = contentType({ method, patch });
        const answered = api.answer(line, body, type);
        // deno-lint-ignore no-explicit-any
        const json = answered.body as any;
        if (answered.code < 300) {
          return Promise.resolve(accept === "text" ? { text: json } : json);
        }
        const { message, details } = json;
        const [cause] = details?.causes ?? [];
        const text = cause ? `${message} ${cause.message}` : message;
        return Promise.reject(new KubernetesError(answered.code, text));
      },
    },
  };
}
