/** Drains a node for its upgrade or reboot: cordon, drain, and uncordon afterwards if it was cordoned here. */

import { OsctlError, RefusedError } from "../../../errors.ts";
import { isPassing } from "../kubernetes/drain_pods.ts";
import {
  type KubernetesNode,
  readNode,
  setCordon,
} from "../../kubernetes/nodes.ts";
import type { NodeContext, OperationProgress, Verdict } from "../operation.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import { observeNode } from "../kubernetes/cordon.ts";
import { drain, type DrainInput, type DrainKey } from "../kubernetes/drain.ts";
import { isLate, untilSeen } from "../poll.ts";
import { failureKind } from "../../../transport/call/retryable.ts";
import { isUnsent } from "../../../transport/connect/status.ts";

/** Operations that cordon a node until it is back; each may uncordon the node for the other. */
const owners = ["upgrade", "reboot"] as const;

/** An operation that cordons nodes. */
type CordonOwner = (typeof owners)[number];

/** Drains like nodes that drain themselves: evicts everything. */
const drainAs = (owner: CordonOwner): DrainInput => ({
  force: true,
  deleteEmptydirData: true,
  keepCordon: false,
  owner,
});

/** Timeout for uncordoning a node when the command does not wait for it, in milliseconds. */
const undoMs = 10_000;

/**
 * Finds the node to drain.
 *
 * @returns Its name in Kubernetes; null when its pods could go nowhere else.
 * @throws {RefusedError} If Kubernetes does not answer.
 */
export async function nodeToDrain(
  context: NodeContext,
): Promise<string | null> {
  try {
    const { node, alone } = await drain.observe(
      context,
      drainAs("upgrade"),
    );
    return alone && !isOurs(node) ? null : node.name;
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    throw new RefusedError(`Cannot drain the node: ${error.message}`, {
      hint: "Nothing was sent; to leave its pods running: --drain=false",
    });
  }
}

/**
 * Cordons and drains a node.
 *
 * @param drainMs Timeout, in milliseconds.
 * @returns `undefined` when it is drained, otherwise the reason; its cordon is restored.
 * @throws {KubernetesError} If a retry cannot help.
 */
export async function* empty(
  context: NodeContext,
  name: string,
  { drainMs, owner }: {
    readonly drainMs: number;
    readonly owner: CordonOwner;
  },
): AsyncGenerator<OperationProgress, Verdict | undefined> {
  const limited = limitedBy(context, drainMs);
  const input = drainAs(owner);
  const found = yield* whenAnswered(limited, name, input);
  if (found.late !== undefined) return found.late;
  const { key } = found;
  const { outcome, reason } = yield* drain.verify(limited, input, key);
  if (outcome !== "done") {
    return { outcome, reason: `${notDrained}; ${reason}` };
  }
  yield { text: `${name} is drained: ${reason}` };
}

async function* whenAnswered(
  context: NodeContext,
  name: string,
  input: DrainInput,
): AsyncGenerator<
  OperationProgress,
  | { readonly key: DrainKey; readonly late?: undefined }
  | { readonly late: Verdict }
> {
  let key: DrainKey | undefined;
  const { outcome, reason } = yield* untilSeen(context, async () => {
    try {
      key = await close(context, name, input);
      return { verdict: { outcome: "done", reason: "" } };
    } catch (error) {
      if (!isPassing(error)) throw error;
      return { missing: error.message };
    }
  });
  if (key !== undefined) return { key };
  const way = "resume it when Kubernetes answers, or keep the pods running " +
    "with --drain=false";
  return { late: { outcome, reason: `${notDrained}; ${reason} (${way})` } };
}

const notDrained = "the node could not be drained";

async function close(
  context: NodeContext,
  name: string,
  input: DrainInput,
): Promise<DrainKey> {
  const kubernetes = await context.cluster.kubernetes();
  const before = await readNode(kubernetes, name, context.signal);
  // A cordon of an earlier attempt is ours.
  const closes = !before.unschedulable || isOurs(before);
  const key = { name, closes };
  for await (const _ of drain.apply(context, input, key));
  return key;
}

/**
 * Finds a node still cordoned by an upgrade or a reboot.
 *
 * @returns Its name in Kubernetes; null when there is none, or Kubernetes does not answer.
 */
export async function leftClosed(context: NodeContext): Promise<string | null> {
  try {
    const node = await observeNode(context);
    return isOurs(node) ? node.name : null;
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return null;
  }
}

function isOurs({ unschedulable, cordonedBy }: KubernetesNode): boolean {
  return unschedulable && owners.some((owner) => owner === cordonedBy);
}

/**
 * Drains the node first; uncordons it after a refusal, leaves it cordoned for a resume when in doubt.
 *
 * @param options Timeout of the drain, in milliseconds; owner of the cordon.
 * @param drains Its name in Kubernetes; none to do the work alone.
 */
export async function* whileEmpty(
  context: NodeContext,
  { drainMs = 0, owner }: {
    readonly drainMs?: number | undefined;
    readonly owner: CordonOwner;
  },
  drains: string | null | undefined,
  work: () => AsyncGenerator<OperationProgress, Verdict | void>,
): AsyncGenerator<OperationProgress, Verdict | undefined> {
  // Older journals have no drain.
  const name = drains ?? null;
  if (name !== null) {
    const ended = yield* empty(context, name, { drainMs, owner });
    if (ended !== undefined) return ended;
  }
  try {
    const ended = (yield* work()) ?? undefined;
    if (ended === undefined || name === null) return ended;
    const reason = `${ended.reason}; ${await leaveOpen(context, name)}`;
    return { ...ended, reason };
  } catch (error) {
    const { signal } = context;
    // A request that was not sent leaves no doubt.
    const isInDoubt = failureKind(error) === "away" && !isUnsent(error);
    if (name === null || isInDoubt) throw error;
    if (isLate(error, signal)) return lateBehind(name);
    if (!signal.aborted) yield { text: await leaveOpen(context, name) };
    throw error;
  }
}

function lateBehind(name: string): Verdict {
  const reason =
    `timed out while the node was working on it; ${name} stays cordoned`;
  return { outcome: "timed-out", reason };
}

/** Permission where no rule applies. */
// deno-lint-ignore require-yield
export async function* grantAlways(): AsyncGenerator<
  OperationProgress,
  undefined
> {
  return await Promise.resolve(undefined);
}

/**
 * Uncordons a node that came back, for a verdict; one that did not stays cordoned.
 *
 * @param name Its name in Kubernetes; none if it was not cordoned.
 */
export async function* openAfter(
  context: NodeContext,
  name: string | null | undefined,
  verdict: Verdict,
): AsyncGenerator<OperationProgress, Verdict> {
  if (!name) return verdict;
  const { outcome, reason } = verdict;
  if (outcome !== "done" && outcome !== "rolled-back") {
    return { ...verdict, reason: `${reason}; ${name} stays cordoned` };
  }
  const opened = yield* open(context, name);
  return {
    ...opened.outcome === "done" ? verdict : opened,
    reason: `${reason}; ${opened.reason}`,
  };
}

/** The same context with a shorter timeout. */
function limitedBy(context: NodeContext, limitMs: number): NodeContext {
  const { clock, signal } = context;
  const late = new AbortController();
  const until = clock.now() + limitMs;
  const sleep: OperationClock["sleep"] = async (ms, other) => {
    await clock.sleep(Math.min(ms, Math.max(0, until - clock.now())), other);
    if (clock.now() >= until) late.abort();
  };
  return {
    ...context,
    clock: { ...clock, sleep },
    signal: AbortSignal.any([signal, late.signal]),
  };
}

/**
 * Uncordons a node that is back, unless another user has cordoned it.
 *
 * @param context The node; waits for Kubernetes until its signal aborts.
 * @returns `done` with its state, or `timed-out`.
 * @throws {KubernetesError} If a retry cannot help.
 */
export function open(
  context: NodeContext,
  name: string,
): AsyncGenerator<OperationProgress, Verdict> {
  return untilSeen(context, async () => {
    try {
      const reason = await reopen(context, name, context.signal);
      return { verdict: { outcome: "done", reason } };
    } catch (error) {
      if (!isPassing(error)) throw error;
      return { missing: `${name} is still cordoned: ${error.message}` };
    }
  });
}

/**
 * Uncordons a node that is not upgraded, unless another user has cordoned it.
 *
 * @returns Its state; also when uncordoning failed.
 */
async function leaveOpen(
  context: Pick<NodeContext, "cluster">,
  name: string,
): Promise<string> {
  try {
    return await reopen(context, name, AbortSignal.timeout(undoMs));
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return `${name} stays cordoned: ${error.message}`;
  }
}

async function reopen(
  { cluster }: Pick<NodeContext, "cluster">,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const kubernetes = await cluster.kubernetes();
  const node = await readNode(kubernetes, name, signal);
  if (isOurs(node)) {
    await setCordon(kubernetes, name, undefined, signal);
    return `${name} is uncordoned`;
  }
  return node.unschedulable
    ? `${name} stays cordoned: another user or process cordoned it`
    : `${name} is not cordoned`;
}
