/** Fan-outs: nodes run through a block, in batches. */

import { OsctlError } from "../../../errors.ts";
import {
  countBatch,
  type FanOutRun,
  mayEnter,
  measureBudget,
} from "./budget.ts";
import type { EventOf, NodeState, TargetReport } from "../event.ts";
import { groupKey, instanceKey, type NodeHistory } from "../journal/history.ts";
import { runWork } from "./block.ts";
import { resolve } from "./run_values.ts";
import type { Engine } from "./engine.ts";
import { stopHalt } from "./stop_signal.ts";
import { byCause, Halt, type StepEnd } from "./failure.ts";
import type { Failure } from "../journal/record.ts";
import { append, enterNode, type Frame, groupIn } from "./frame.ts";
import { collectResults } from "./step_results.ts";
import { changedMembers } from "./membership.ts";
import { isRedoneIn } from "../journal/resume_state.ts";
import { disturbs, prepares } from "./changed_steps.ts";
import type { StepOf } from "../runbook.ts";

/** Runs a block on all nodes of a group. */
export async function runForEach(
  engine: Engine,
  frame: Frame,
  step: StepOf<"forEach">,
  path: string,
): Promise<StepEnd> {
  // A node that joined in the last seconds would never be checked again.
  if (engine.runbook.policy.membership === "frozen") engine.facts.forget();
  const changed = await changedMembers(engine);
  if (changed !== undefined) {
    return { failure: { code: "refused", step: path, message: changed } };
  }
  const names = await listNames(engine, frame, step, path);
  const all = [...step.steps, ...step.rescue, ...step.always];
  const budget = await measureBudget(engine, frame, step.strategy, {
    names,
    disturbs: disturbs(engine, all),
  });
  const { window } = engine.runbook.policy;
  const fan: FanOutRun = {
    step,
    path,
    windows: prepares(engine, step.steps) ? window : [],
    frame,
    names,
    budget,
    queue: [],
    inside: new Set(),
    failures: new Map(),
  };
  queueNodes(engine, fan);
  engine.emit({
    type: "group.resolved",
    path,
    data: {
      nodes: [...names],
      maxUnavailable: budget.maxUnavailable,
      maxFailures: budget.maxFailures,
      ...budget.batches.length === 1
        ? { atOnce: budget.batches[0] ?? 1 }
        : { batches: countBatch(budget.batches, names.length) },
      ...budget.disturbs && { disrupts: true },
    },
  });
  for (const node of fan.queue) {
    engine.emit({ type: "node.queued", path, node, data: {} });
  }
  await walkAll(engine, fan);
  for (const node of fan.queue) {
    emitEnd(engine, fan, { node, state: "not-reached" });
  }
  if (fan.halt !== undefined) throw fan.halt;
  const isFull = fan.failures.size > budget.maxFailures;
  if (fan.refusal !== undefined && !isFull) return { failure: fan.refusal };
  // Only a stop request keeps nodes in the queue that may start.
  if (fan.queue.length > 0 && !isFull) throw stopHalt(engine, `in ${path}`);
  return joinEnds(engine, fan);
}

async function listNames(
  engine: Engine,
  frame: Frame,
  step: StepOf<"forEach">,
  path: string,
): Promise<readonly string[]> {
  const key = groupKey(frame.book, step.nodes);
  const { at } = groupIn(frame, step.nodes);
  if (at === "plan") return engine.groups.get(key) ?? [];
  const { groups, groupEntries } = engine.history;
  // In `rescue` and `always` the group is resolved again for each entry they belong to.
  const counts = !frame.fresh || groupEntries.get(path) === frame.entry;
  const known = counts ? groups.get(path) : undefined;
  const names = known ?? await resolve(engine, frame, step.nodes);
  if (known === undefined) {
    await engine.journal.append({
      type: "group",
      path,
      entry: frame.entry,
      data: { nodes: [...names] },
    });
  }
  engine.groups.set(key, names);
  return names;
}

/** Queues nodes by their state from earlier processes; those inside their block come first. */
function queueNodes(engine: Engine, fan: FanOutRun): void {
  const { history } = engine;
  const inside: string[] = [];
  const waiting: string[] = [];
  for (const node of fan.names) {
    const known = history.nodes.get(instanceKey(fan.path, node));
    const dropped = history.dropped.get(node);
    const isDone = known?.state === "done" &&
      !isRedoneIn(engine.redone, fan.path, node) &&
      // Results of `rescue` and `always` count for the entry they belong to.
      (!fan.frame.fresh || known.around === fan.frame.entry);
    if (isDone) {
      emitEnd(engine, fan, {
        node,
        state: "done",
        ...measureTime(known),
        ...known.entry > 1 && { resumed: true },
      });
    } else if (dropped !== undefined) {
      // It counts as failed in the report, but not against the budget: the others continue.
      emitEnd(engine, fan, {
        node,
        state: "failed",
        code: "cancelled",
        message: `dropped: ${dropped}`,
      });
    } else if (known !== undefined && known.state === undefined) {
      inside.push(node);
    } else waiting.push(node);
  }
  fan.queue.push(...inside, ...waiting);
}

function measureTime({ tookMs }: NodeHistory): Pick<TargetReport, "tookMs"> {
  return tookMs === undefined ? {} : { tookMs };
}

/** Starts nodes within the budget, until all have finished or no more may start. */
async function walkAll(engine: Engine, fan: FanOutRun): Promise<void> {
  const running = new Set<Promise<void>>();
  let wake = Promise.withResolvers<void>();
  let hasEnded = false;
  let bug: unknown;
  while (true) {
    // Admission is sequential.
    const node = await mayEnter(engine, fan, wake.promise);
    // The last node may have finished during the check, so it is repeated.
    if (node === undefined && running.size === 0 && !hasEnded) break;
    if (node === undefined) {
      await wake.promise;
      wake = Promise.withResolvers();
      hasEnded = false;
      if (bug !== undefined) throw bug;
      continue;
    }
    fan.queue.splice(fan.queue.indexOf(node), 1);
    fan.inside.add(node);
    const one = walkNode(engine, fan, node)
      .catch((error) => {
        if (error instanceof Halt) fan.halt ??= error;
        else bug ??= error;
      })
      .finally(() => {
        fan.inside.delete(node);
        running.delete(one);
        hasEnded = true;
        wake.resolve();
      });
    running.add(one);
  }
  if (bug !== undefined) throw bug;
}

async function walkNode(
  engine: Engine,
  fan: FanOutRun,
  node: string,
): Promise<void> {
  try {
    await walkOnce(engine, fan, node, countEntries(engine, fan.path, node));
  } catch (error) {
    if (!(error instanceof Halt) || error.why !== "again") throw error;
    // The node has reached a safe point; now its block starts again.
    await walkNode(engine, fan, node);
  }
}

async function walkOnce(
  engine: Engine,
  fan: FanOutRun,
  node: string,
  entry: number,
): Promise<void> {
  const { path, step, frame } = fan;
  const { clock, history } = engine;
  const before = history.nodes.get(instanceKey(path, node));
  const isResumed = before !== undefined && before.state === undefined;
  const startedAt = isResumed ? before.startedAt ?? clock.now() : clock.now();
  const since = findSince(engine, path, node, entry);
  const from = since === undefined ? {} : { since };
  const inside: Frame = { ...enterNode(frame, path, node), entry, ...from };
  const begun = fan.names.length - fan.queue.length;
  const batch = countBatch(fan.budget.batches, begun);
  await append(engine, inside, {
    type: "enter",
    path,
    data: { ...from, batch },
  });
  const failure = await runWork(engine, inside, step);
  const tookMs = Math.max(0, clock.now() - startedAt);
  const end = { ...findEnd(failure), tookMs };
  const data = { ...end, around: frame.entry };
  await append(engine, inside, { type: "node", path, data });
  if (failure !== undefined) fan.failures.set(node, failure);
  const version = failure === undefined
    ? await versionAfter(engine, fan, node)
    : "";
  const resumed = isResumed && { resumed: true };
  emitEnd(engine, fan, { node, ...end, ...resumed }, version);
}

/** Codes of nodes that came back with their previous system. */
const unchanged: ReadonlySet<string> = new Set([
  "rolled-back",
  "wrong-version",
]);

/** Entry from which installs and restarts count: those that led back to the old system must run again. */
function findSince(
  { history }: Engine,
  path: string,
  node: string,
  entry: number,
): number | undefined {
  const { since, code = "" } = history.nodes.get(instanceKey(path, node)) ?? {};
  return unchanged.has(code) ? entry : since;
}

/** A node that was interrupted in its `rescue` or `always` resumes there; any other starts a new entry. */
function countEntries(
  { history, openPhases }: Engine,
  path: string,
  node: string,
): number {
  const known = history.nodes.get(instanceKey(path, node));
  if (known === undefined) return 1;
  const isOpen = known.state === undefined &&
    (openPhases.get(node) ?? []).some((phase) =>
      phase.entry === known.entry &&
      (phase.path === path || phase.path.startsWith(`${path}/`)) &&
      history.instances.get(instanceKey(phase.path, node))?.phase?.name !==
        "left"
    );
  return isOpen ? known.entry : known.entry + 1;
}

/** Codes that require a decision. */
export const blocking: ReadonlySet<string> = new Set([
  "in-doubt",
  "quorum-risk",
  "lease-lost",
  "refused",
]);

function findEnd(failure: Failure | undefined) {
  if (failure === undefined) return { state: "done" } as const;
  const { recovered, code, message, step } = failure;
  const state: NodeState = recovered
    ? "recovered"
    : blocking.has(code)
    ? "blocked"
    : "failed";
  return { state, step, code, message };
}

function emitEnd(
  engine: Engine,
  { path }: FanOutRun,
  { node, ...data }: Omit<EventOf<"node.ended">["data"], "version"> & {
    readonly node: string;
  },
  version = "",
): void {
  const about = version === "" ? data : { ...data, version };
  engine.emit({ type: "node.ended", path, node, data: about });
}

/** Version that a disrupted node runs now; empty for other nodes, and when unknown. */
async function versionAfter(
  { facts }: Engine,
  { budget }: FanOutRun,
  node: string,
): Promise<string> {
  if (!budget.disturbs) return "";
  try {
    const { nodes } = await facts.recent([node]);
    return nodes.find(({ name }) => name === node)?.version ?? "";
  } catch (error) {
    // For display only.
    if (!(error instanceof OsctlError)) throw error;
    return "";
  }
}

function joinEnds(
  { history }: Engine,
  { failures, budget, step, path }: FanOutRun,
): StepEnd {
  const [cause, ...others] = byCause(failures);
  if (cause === undefined || failures.size <= budget.maxFailures) {
    return { outputs: collectResults(history, step, path, undefined) };
  }
  const [node, failure] = cause;
  const also = others.slice(0, named)
    .map(([other, { code }]) => `${other} (${code})`);
  if (others.length > named) also.push(`${others.length - named} more`);
  const rest = also.length === 0 ? "" : `; also failed: ${also.join(", ")}`;
  const message = `${node} failed: ${failure.message}${rest}`;
  return { failure: { ...failure, message } };
}

/** Maximum number of other failed nodes named in a failure. */
const named = 3;
