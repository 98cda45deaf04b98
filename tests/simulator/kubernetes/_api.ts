/** A simulated Kubernetes without a network, whose time stands still. */

import assert from "node:assert/strict";
import type { ClusterOptions } from "../../../simulator/cluster/make_cluster.ts";
import {
  createKubernetesApi,
  type KubernetesApi,
} from "../../../simulator/kubernetes/api.ts";
import type { ApiAnswer } from "../../../simulator/state/kubernetes_objects.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { bootNodes, noon } from "../_node.ts";

/** An API and what it is about. */
export interface TestApi {
  readonly nodes: readonly SimulatedNode[];
  /** Lets time pass, in milliseconds. */
  readonly pass: (ms: number) => void;
  /** Sends a request; the JSON of the answer. */
  // Responses have any shape.
  // deno-lint-ignore no-explicit-any
  readonly ask: (line: string, body?: unknown) => any;
  /** Sends a request; the whole answer. */
  readonly answer: (
    line: string,
    body?: unknown,
    contentType?: string,
  ) => ApiAnswer;
  readonly pods: (query: string) => readonly string[];
}

/** Makes one; the cluster is `lab`. */
export async function openApi(options: ClusterOptions = {}): Promise<TestApi> {
  const nodes = await bootNodes(options);
  let now = noon;
  const [first] = nodes;
  assert.ok(first);
  const api = createKubernetesApi(first.cluster, { now: () => now });
  const answer: TestApi["answer"] = (...asked) => send(api, ...asked);
  // deno-lint-ignore no-explicit-any
  const ask = (line: string, body?: unknown): any => answer(line, body).body;
  return {
    nodes,
    pass: (ms) => void (now += ms),
    answer,
    ask,
    pods(query) {
      const { items } = ask(`GET /api/v1/pods?${query}`);
      return items.map((pod: { metadata: { name: string } }) =>
        pod.metadata.name
      );
    },
  };
}

/** A pod that a deployment of the user would have. */
export function webPod(name: string, nodeName: string): unknown {
  return { metadata: { name, labels: { app: "web" } }, spec: { nodeName } };
}

function send(
  api: KubernetesApi,
  line: string,
  body?: unknown,
  contentType?: string,
): ApiAnswer {
  const [method = "", path = ""] = line.split(" ");
  const type = contentType === undefined ? {} : { contentType };
  return api.request({ method, path, body, ...type });
}
