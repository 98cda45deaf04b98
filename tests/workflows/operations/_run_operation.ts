/** Running the parts of operations in tests. */

import type {
  NodeContext,
  OperationProgress,
  Verdict,
} from "../../../workflows/operations/operation.ts";
import { viewCluster } from "../../../workflows/operations/cluster_view.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";

/** A node, its clock that jumps, and what was asked of it. */
export interface AskedContext {
  readonly context: NodeContext;
  /** Time that passed, in milliseconds. */
  readonly elapsedMs: () => number;
}

/**
 * Makes a node of handlers.
 *
 * @param handlers Answers.
 * @param limitMs Time after which the signal aborts, default 60 s.
 */
export async function contextWith(
  handlers: FakeNode,
  limitMs = 60_000,
): Promise<AskedContext> {
  const late = new AbortController();
  let elapsed = 0;
  const { nodes } = fakeNodes({ a: handlers });
  const client = await nodes.at("a");
  const clock = {
    now: () => elapsed,
    sleep(ms: number) {
      elapsed += ms;
      if (elapsed >= limitMs) late.abort();
      return Promise.resolve();
    },
  };
  const context: NodeContext = {
    node: "a",
    client,
    cluster: viewCluster(nodes, clock),
    signal: late.signal,
    clock,
  };
  return { context, elapsedMs: () => elapsed };
}

export interface Walked {
  readonly steps: readonly string[];
  /** The end; `undefined` for what has none. */
  readonly verdict: Verdict | undefined;
}

/**
 * Runs `apply` or `verify` to its end.
 *
 * @param walk What either gives.
 */
export async function runWalk(
  walk: AsyncGenerator<OperationProgress, Verdict | void>,
): Promise<Walked> {
  const steps: string[] = [];
  while (true) {
    const { done, value } = await walk.next();
    if (done) return { steps, verdict: value ?? undefined };
    steps.push(value.text);
  }
}

/**
 * Answers `List` of resources.
 *
 * @param specs Specs by name, by the first word of the type: `Disks`.
 */
export function listing(
  specs: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
) {
  return async function* ({ type }: { type: string }) {
    const found = specs[type.split(".")[0] ?? ""] ?? {};
    for (const [id, spec] of Object.entries(found)) {
      yield await Promise.resolve({
        resource: {
          metadata: { id },
          spec: { yamlSpec: JSON.stringify(spec) },
        },
      });
    }
  };
}
