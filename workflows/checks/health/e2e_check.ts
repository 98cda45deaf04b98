/** Tests of Kubernetes itself, run in the cluster by the image its developers make for that. */

import type { OperationClock } from "../../operations/operation.ts";
import { fieldsOf, type Kubernetes } from "../../kubernetes/client.ts";
import { existing } from "../../kubernetes/objects.ts";
import { type HealthCheck, healthy } from "./health_check.ts";
import {
  accountPath,
  bindingPath,
  namespacePath,
  podName,
  podsPath,
  rolePath,
  testObjects,
} from "./e2e_objects.ts";

/** Time between two looks at the pod, in milliseconds. */
const everyMs = 2_000;

/**
 * Makes the condition that a few tests succeed.
 *
 * @param clock Time.
 * @param limitMs Longest wait.
 */
export function e2eCheck(clock: OperationClock, limitMs: number): HealthCheck {
  return {
    name: "tests in Kubernetes to succeed",
    limitMs,
    async look({ kubernetes, signal }) {
      const api = await kubernetes();
      await cleanUp(api, clock, signal);
      try {
        const version = await api.request("/version", { signal });
        await start(api, String(version.gitVersion), signal);
        const code = await exitCode(api, clock, signal);
        // Tests that have failed do not get better by being run again.
        return code === 0
          ? healthy
          : { state: "failed", reason: `they ended with status ${code}` };
      } finally {
        await cleanUp(api, clock, new AbortController().signal);
      }
    },
  };
}

async function start(
  kubernetes: Kubernetes,
  version: string,
  signal: AbortSignal,
): Promise<void> {
  for (const { path, body } of testObjects(version)) {
    // Each needs those before it.
    await kubernetes.request(path, { method: "POST", body, signal });
  }
}

async function exitCode(
  kubernetes: Kubernetes,
  clock: OperationClock,
  signal: AbortSignal,
): Promise<number> {
  while (true) {
    const pod = await kubernetes.request(`${podsPath}/${podName}`, { signal });
    const { containerStatuses, phase } = fieldsOf(pod.status);
    const [status] = Array.isArray(containerStatuses) ? containerStatuses : [];
    const { terminated } = fieldsOf(fieldsOf(status).state);
    if (terminated !== undefined) return Number(fieldsOf(terminated).exitCode);
    if (phase === "Succeeded") return 0;
    if (phase === "Failed") return 1;
    await clock.sleep(everyMs, signal);
    signal.throwIfAborted();
  }
}

/** Removes what a run leaves, and waits until it is gone. */
async function cleanUp(
  kubernetes: Kubernetes,
  clock: OperationClock,
  signal: AbortSignal,
): Promise<void> {
  for (const path of [bindingPath, rolePath, accountPath, namespacePath]) {
    const found = await existing(kubernetes, path, signal);
    if (found === undefined) continue;
    await kubernetes.request(path, { method: "DELETE", signal });
  }
  while (await existing(kubernetes, namespacePath, signal) !== undefined) {
    await clock.sleep(everyMs, signal);
    signal.throwIfAborted();
  }
}
