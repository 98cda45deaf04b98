/** A Kubernetes that answers what a test says, by path. */

import {
  type Kubernetes,
  KubernetesError,
} from "../../../workflows/kubernetes/client.ts";

/** A Kubernetes, and what was asked of it. */
export interface AnsweringKubernetes extends Kubernetes {
  /** Method and path of all requests so far. */
  readonly asked: readonly string[];
}

/**
 * Makes one.
 *
 * @param answers Answers by path, or by method and path where it is not `GET`; a number is an HTTP status. Everything else is not found.
 */
export function answering(
  answers: Readonly<Record<string, unknown>>,
): AnsweringKubernetes {
  const asked: string[] = [];
  return {
    asked,
    [Symbol.dispose]() {},
    request(path, { method = "GET" }) {
      const line = method === "GET" ? path : `${method} ${path}`;
      asked.push(line);
      const found = answers[line] ?? (method === "GET" ? 404 : {});
      const answer = typeof found === "function" ? found() : found;
      return typeof answer === "number"
        ? Promise.reject(new KubernetesError(answer, `status ${answer}`))
        : Promise.resolve(answer);
    },
  };
}
