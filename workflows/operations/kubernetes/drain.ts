/** Cordons and drains a node. */

import { RefusedError } from "../../../errors.ts";
import { formatCount } from "../../../lib/text/count.ts";
import { KubernetesError } from "../../kubernetes/client.ts";
import {
  type DrainLimits,
  type DrainPlan,
  drainPods,
  type DrainResult,
  planDrain,
  podName,
} from "./drain_pods.ts";
import {
  type KubernetesNode,
  listNodes,
  type Pod,
  podsOn,
  readNode,
  setCordon,
} from "../../kubernetes/nodes.ts";
import type {
  NodeContext,
  Operation,
  OperationProgress,
  Verdict,
} from "../operation.ts";
import { observeNode } from "./cordon.ts";

/** Input of `node drain`. */
export type DrainInput = DrainLimits & {
  /** True to keep the cordon after a failed drain. */
  readonly keepCordon: boolean;
  /** Owner of the cordon: a command, or a run. */
  readonly owner: string;
};

interface DrainSeen {
  readonly node: KubernetesNode;
  readonly pods: DrainPlan;
  /** True when no other node is schedulable, or takes any of its pods. */
  readonly alone: boolean;
  /** Names of pods that fit on no other node. */
  readonly stranded: readonly string[];
}

/** State of the node before the drain. */
export type DrainKey = {
  readonly name: string;
  /** True when this attempt cordons the node, and must uncordon it after a failure. */
  readonly closes: boolean;
};

/** Timeout for uncordoning, in milliseconds. */
const undoMs = 10_000;

/** `node drain`. */
export const drain: Operation<DrainInput, DrainSeen, DrainKey> = {
  name: "node drain",
  effect: "write",
  rolling: true,
  idempotency: "converge",
  touches: "never",
  quorum: () => "none",
  async observe(context, limits) {
    const kubernetes = await context.cluster.kubernetes();
    const node = await observeNode(context);
    const { signal } = context;
    const [pods, all] = await Promise.all([
      podsOn(kubernetes, node.name, signal),
      listNodes(kubernetes, signal),
    ]);
    const others = all.filter(({ name, unschedulable }) =>
      name !== node.name && !unschedulable
    );
    const plan = planDrain(pods, limits);
    const stranded = plan.moving.filter((pod) =>
      !others.some((other) => mayRunOn(pod, other))
    ).map(podName);
    const isFree = others.some(({ reserved }) => reserved.length === 0);
    const isStuck = plan.moving.length > 0 &&
      stranded.length === plan.moving.length;
    const alone = others.length === 0 || !isFree && isStuck;
    return { node, pods: plan, alone, stranded };
  },
  plan({ node, pods, alone, stranded }) {
    const { moving, finished, forbidden } = pods;
    const count = moving.length + finished.length;
    if (alone || (node.unschedulable && count === 0)) return [];
    if (forbidden.length > 0) throw mayNotGo(forbidden);
    return [
      ...(node.unschedulable ? [] : [{ action: `cordon ${node.name}` }]),
      {
        action: `evict ${formatCount(count, "pod")} from ${node.name}${
          waiting(stranded)
        }`,
      },
    ];
  },
  already: ({ node: { name }, alone }) =>
    alone
      ? `nothing to do: there is no node other than ${name} for its pods`
      : `nothing to do: ${name} is cordoned and has no pods to evict`,
  key: ({ node: { name, unschedulable } }) => ({
    name,
    closes: !unschedulable,
  }),
  async *apply(context, input, { name, closes }) {
    yield {
      text: closes ? `cordoning ${name}` : `${name} is already cordoned`,
    };
    if (closes) await close(context, input, name);
  },
  // Another drain finds the remaining pods.
  reconcile: () => Promise.resolve("not-started"),
  verify: untilDrained,
};

function mayRunOn(
  { tolerates }: Pod,
  { reserved }: KubernetesNode,
): boolean {
  return tolerates.includes("") ||
    reserved.every((key) => tolerates.includes(key));
}

function waiting(stranded: readonly string[]): string {
  return stranded.length === 0
    ? ""
    : ` (no other node takes ${stranded.join(", ")})`;
}

/** A lost response may have been a success: aborting then uncordons the node. */
async function close(
  context: NodeContext,
  input: DrainInput,
  name: string,
): Promise<void> {
  const { cluster, signal } = context;
  let isClosed = false;
  try {
    await setCordon(await cluster.kubernetes(), name, input.owner, signal);
    isClosed = true;
  } finally {
    if (!isClosed && !input.keepCordon) await openAgain(context, input, name);
  }
}

async function* untilDrained(
  context: NodeContext,
  input: DrainInput,
  { name, closes }: DrainKey,
): AsyncGenerator<OperationProgress, Verdict> {
  const { cluster, signal, clock } = context;
  let opens = closes && !input.keepCordon;
  try {
    const kubernetes = await cluster.kubernetes();
    const verdict = toVerdict(
      yield* drainPods({
        kubernetes,
        node: name,
        limits: input,
        signal,
        clock,
      }),
    );
    if (verdict.outcome === "done" || !opens) {
      opens = false;
      return verdict;
    }
    opens = false;
    const now = await openAgain(context, input, name);
    yield { text: now };
    return { ...verdict, reason: `${verdict.reason}; ${now}` };
  } finally {
    if (opens) await openAgain(context, input, name);
  }
}

function toVerdict(
  { moved, staying, left, forbidden }: DrainResult,
): Verdict {
  if (forbidden.length > 0) {
    return { outcome: "refused", reason: mayNotGo(forbidden).message };
  }
  if (left.length > 0) {
    return { outcome: "timed-out", reason: `left: ${left.join(", ")}` };
  }
  const reason = `${
    formatCount(moved, "pod")
  } moved, ${staying} stay on the node`;
  return { outcome: "done", reason };
}

/** Removes our cordon unless another user has cordoned the node since; reports the state. */
async function openAgain(
  { cluster }: Pick<NodeContext, "cluster">,
  { owner }: DrainInput,
  name: string,
): Promise<string> {
  // The signal of the node may have aborted, which is why this runs.
  const signal = AbortSignal.timeout(undoMs);
  try {
    const kubernetes = await cluster.kubernetes();
    const { cordonedBy } = await readNode(kubernetes, name, signal);
    if (cordonedBy !== owner) {
      return `${name} stays cordoned: another user or process cordoned it`;
    }
    await setCordon(kubernetes, name, undefined, signal);
    return `${name} is uncordoned`;
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    return `${name} stays cordoned: ${error.message}`;
  }
}

function mayNotGo(forbidden: readonly string[]): RefusedError {
  return new RefusedError(`Cannot evict pods: ${forbidden.join(", ")}`);
}
