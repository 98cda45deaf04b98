/** What conditions of a healthy cluster look at, made of handlers. */

import type { HealthSite } from "../../../../workflows/checks/health/health_check.ts";
import { namedNodes } from "../../../../workflows/checks/health/health_nodes.ts";
import type { OperationClock } from "../../../../workflows/operations/operation.ts";
import type { FakeNode } from "../../../_fake.ts";
import { answering } from "../../kubernetes/_answers.ts";
import { siteOf } from "../_site.ts";

/**
 * Makes one.
 *
 * @param nodes Handlers by address; control planes are those whose address starts with `c`.
 * @param answers Answers of Kubernetes by path.
 */
export function healthSite(
  nodes: Readonly<Record<string, FakeNode>>,
  answers: Readonly<Record<string, unknown>> = {},
): HealthSite {
  const { cluster, signal } = siteOf({ nodes });
  const names = Object.keys(nodes);
  const kubernetes = answering(answers);
  return {
    cluster,
    signal,
    nodes: namedNodes({
      controlPlanes: names.filter((name) => name.startsWith("c")),
      workers: names.filter((name) => !name.startsWith("c")),
    }),
    kubernetes: () => Promise.resolve(kubernetes),
  };
}

/** A clock that jumps over the waits between two looks; longer ones only end with their signal. */
export function jumping(): OperationClock {
  let now = 0;
  return {
    now: () => now,
    sleep(ms, signal) {
      if (ms <= 5_000) {
        now += ms;
        return Promise.resolve();
      }
      return new Promise((resolve) =>
        signal?.addEventListener("abort", () => resolve(), { once: true })
      );
    },
  };
}

/** Reason of a finding that says not yet; its state where it says anything else. */
export function missing(
  found: { readonly state: string; readonly reason?: string },
): string {
  return found.state === "waiting" ? found.reason ?? "" : found.state;
}
