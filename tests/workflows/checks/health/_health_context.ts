/** A context of health conditions, made of handlers. */

import type { CheckResult } from "../../../../workflows/checks/check.ts";
import { healthChecks } from "../../../../workflows/checks/health/all.ts";
import {
  type HealthContext,
  namedNodes,
} from "../../../../workflows/checks/health/health_context.ts";
import type { OperationClock } from "../../../../lib/clock.ts";
import type { FakeNode } from "../../../_fake.ts";
import { answering } from "../../kubernetes/_answers.ts";
import { makeContext } from "../_check_context.ts";

/**
 * Makes one.
 *
 * @param nodes Handlers by address; control planes are those whose address starts with `c`.
 * @param answers Answers of Kubernetes by path.
 */
export function healthContext(
  nodes: Readonly<Record<string, FakeNode>>,
  answers: Readonly<Record<string, unknown>> = {},
): HealthContext {
  const { cluster, signal } = makeContext({ nodes });
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

/** Looks once for the condition of a name. */
export async function lookFor(
  name: string,
  context: HealthContext,
): Promise<CheckResult> {
  const check = healthChecks.find((one) => one.name === name);
  if (check === undefined) throw new Error(`No condition is called "${name}"`);
  return await check.run(context);
}

/** Reason of a finding that says not yet; `ok` or `skipped` where it says anything else. */
export function missing(found: CheckResult): string {
  if (!found.ok) return found.reason;
  return found.skipped ? "skipped" : "ok";
}
