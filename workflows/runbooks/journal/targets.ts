/** Progress of the nodes of a run, from its journal. */

import type {
  NodeReport,
  NodeState,
  RunReport,
  RunState,
  TargetReport,
} from "../event.ts";
import type { NodeFacts } from "../../runbook_cel/facts.ts";
import { instanceKey, type RunHistory } from "./history.ts";
import type { Runbook } from "../runbook.ts";
import { splitKey } from "./resume_state.ts";
import { listNodes, listSteps, type StepLocation } from "./find_step.ts";

type TargetState =
  | NodeState
  /** Waiting for its turn. */
  | "queued"
  /** Started and not finished. */
  | "inside";

/** A node in a fan-out. */
export interface RunTarget extends Omit<TargetReport, "state"> {
  readonly state: TargetState;
}

/** Nodes of all fan-outs, in the order of the runbook. */
export function listTargets(
  runbook: Runbook,
  history: RunHistory,
): readonly RunTarget[] {
  return listSteps(runbook).flatMap((step) => {
    const { path, verb, fanOut } = step;
    if (verb !== "forEach" || fanOut !== undefined) return [];
    const { result } = history.instances.get(path) ?? {};
    if (result?.state === "skipped") return [];
    return listNodes(history, step).map((node) =>
      isPast(history, step, node)
        ? { node, path, state: "queued" as const }
        : findTarget(history, path, node)
    );
  });
}

/** Reports whether the node belongs to a rescue of an earlier entry of the run, which no longer counts. */
function isPast(
  { nodes, entries }: RunHistory,
  { path, fresh }: StepLocation,
  node: string,
): boolean {
  const { around = entries } = nodes.get(instanceKey(path, node)) ?? {};
  return fresh === true && around !== entries;
}

function findTarget(
  history: RunHistory,
  path: string,
  node: string,
): RunTarget {
  const { nodes, dropped } = history;
  const known = nodes.get(instanceKey(path, node));
  const about = { node, path };
  const reason = dropped.get(node);
  if (reason !== undefined && known?.state !== "done") {
    const message = `dropped: ${reason}`;
    return { ...about, state: "failed", code: "cancelled", message };
  }
  if (known === undefined) return { ...about, state: "queued" };
  const { state = "inside", step, code, message, tookMs } = known;
  const artifact = state === "done"
    ? undefined
    : findEvidence(history, path, node);
  return {
    ...about,
    state,
    ...(step === undefined ? {} : { step }),
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
    ...(artifact === undefined ? {} : { artifact }),
    ...(tookMs === undefined ? {} : { tookMs }),
  };
}

/** Folder of the evidence that an inner step has saved for the node, relative to the folder of the run. */
function findEvidence(
  { instances }: RunHistory,
  path: string,
  node: string,
): string | undefined {
  const kept = [...instances].flatMap(([key, { result }]) => {
    const place = splitKey(key);
    const folder = result?.outputs.folder;
    const isInside = place.node === node && place.path.startsWith(`${path}/`);
    return isInside && typeof folder === "string" ? [folder] : [];
  });
  const last = kept.at(-1) ?? "";
  const at = last.lastIndexOf("/artifacts/");
  return at < 0 ? undefined : last.slice(at + 1);
}

/** Nodes of all fan-outs; in `rescue` and `always` only of those that have started. */
export function neededTargets(
  runbook: Runbook,
  history: RunHistory,
): readonly RunTarget[] {
  const cleanup = new Set(
    listSteps(runbook).flatMap(({ fresh, path }) => fresh ? [path] : []),
  );
  const targets = listTargets(runbook, history);
  const begun = new Set(
    targets.flatMap(({ path, state }) => state === "queued" ? [] : [path]),
  );
  return targets.filter(({ path }) => begun.has(path) || !cleanup.has(path));
}

/** `result` in the outputs of a runbook: nodes of its fan-outs, each once in a list. */
export function groupByEnd(
  targets: readonly TargetReport[],
): Readonly<Record<"done" | "failed", readonly { readonly name: string }[]>> {
  const named = (isDone: boolean) => {
    const some = targets.filter(({ state }) => (state === "done") === isDone);
    return [...new Set(some.map(({ node }) => node))].map((name) => ({ name }));
  };
  return { done: named(true), failed: named(false) };
}

/**
 * Nodes of the fan-outs that have started, in a run that is not running; those that have started and not finished are interrupted.
 */
export function endedTargets(
  runbook: Runbook,
  history: RunHistory,
): readonly TargetReport[] {
  const targets = listTargets(runbook, history);
  const started = new Set(
    targets.flatMap(({ path, state }) => state === "queued" ? [] : [path]),
  );
  return targets.filter(({ path }) => started.has(path))
    .map((target) => toEnd(target, history));
}

function toEnd(
  { state, ...target }: RunTarget,
  history: RunHistory,
): TargetReport {
  if (state === "queued") return { ...target, state: "not-reached" };
  if (state !== "inside") return { ...target, state };
  // The innermost step was sent last.
  const open = [...history.instances].findLast(([key, { intent, result }]) => {
    const { path, node } = splitKey(key);
    return intent !== undefined && result === undefined &&
      node === target.node && path.startsWith(`${target.path}/`);
  });
  const tookMs = measureInterrupted(history, target);
  return {
    ...target,
    state: "interrupted",
    ...tookMs !== undefined && { tookMs },
    ...open !== undefined && { step: splitKey(open[0]).path },
  };
}

/** Duration of an unfinished node until the last record, in milliseconds. */
export function measureInterrupted(
  { nodes, lastAt }: RunHistory,
  { path, node }: Pick<RunTarget, "path" | "node">,
): number | undefined {
  const { startedAt } = nodes.get(instanceKey(path, node)) ?? {};
  return startedAt === undefined ? undefined : Date.parse(lastAt) - startedAt;
}

/** Reports whether a run in this state has finished, so that nodes that never started were not needed. */
export function isWhole(state: string | undefined): boolean {
  return state === "succeeded" || state === "partial";
}

interface FoldableTarget {
  readonly node: string;
  /** `queued`, `running`, `done`, or another result. */
  readonly state: string;
  /** Duration in milliseconds; null or absent until it finishes. */
  readonly tookMs?: number | null;
}

/** Precedence of states: current state first, then failures, then remaining work. */
const weights: Readonly<Record<string, number>> = {
  failed: 1,
  blocked: 1,
  recovered: 2,
  "not-reached": 3,
  queued: 3,
  skipped: 4,
  done: 5,
};

/**
 * Counts each node once: of its states in several fan-outs the one with the highest precedence is reported, of two
 * that are done the later one. The duration is the sum of all.
 *
 * @param targets Nodes of fan-outs, in the order of the runbook.
 */
export function oncePerNode<T extends FoldableTarget>(
  targets: readonly T[],
): readonly T[] {
  const weight = ({ state }: T) => weights[state] ?? 0;
  return [...Map.groupBy(targets, ({ node }) => node).values()].map((all) => {
    const told = all.reduce((a, b) => {
      const isLater = b.state === "done" && a.state === "done";
      return weight(b) < weight(a) || isLater ? b : a;
    });
    // A running target has no duration yet.
    if (typeof told.tookMs !== "number") return told;
    const times = all.flatMap(({ tookMs }) => tookMs ?? []);
    return { ...told, tookMs: times.reduce((sum, one) => sum + one, 0) };
  });
}

/**
 * Final state of each node of a run that is not running, each node once.
 *
 * @param state Result of the run: in a finished run, nodes that never started were not needed.
 * @param nodes Last known nodes of the cluster.
 */
export function endedNodes(
  runbook: Runbook,
  history: RunHistory,
  state: RunState,
  nodes: readonly NodeFacts[],
): readonly NodeReport[] {
  // Their facts may be older than the steps they were interrupted in.
  const isOld = (target: TargetReport) =>
    state === "interrupted" && target.state === "interrupted";
  const targets = isWhole(state)
    ? endedTargets(runbook, history)
    : neededTargets(runbook, history)
      .map((target) => toEnd(target, history));
  const before = versionsAtStart(history);
  const known = new Map(nodes.map((one) => [one.name, one]));
  return oncePerNode(targets).map((target) => {
    const { role, version: to = "" } = known.get(target.node) ?? {};
    const from = before[target.node] ?? "";
    return {
      ...target,
      ...role === undefined ? {} : { role },
      ...from === "" ? {} : { from },
      ...to === "" || isOld(target) ? {} : { to },
    };
  });
}

/** Versions of the nodes at the start of the run, by name; empty for runs of earlier versions. */
export function versionsAtStart(
  { start }: RunHistory,
): Readonly<Record<string, string>> {
  return start?.versions ?? {};
}

/** A step of `rescue` or `always` that failed. */
export type CleanupFailure = NonNullable<RunReport["cleanup"]>[number];

/**
 * Finds steps of `rescue` and `always` that failed and were not repeated since; those that are allowed to fail do not count.
 */
export function failedCleanup(
  runbook: Runbook,
  history: RunHistory,
): readonly CleanupFailure[] {
  return listSteps(runbook).flatMap((step) => {
    const { part } = step;
    if (part === undefined) return [];
    return listInstances(history, step).flatMap(({ node, entry }) => {
      const key = instanceKey(step.path, node);
      const { result } = history.instances.get(key) ?? {};
      if (result?.state !== "failed" || result.entry !== entry) return [];
      const { code = "internal", message = "" } = result;
      // An enclosing rescue has undone its work.
      if (code === undone) return [];
      return [{
        part,
        step: result.step ?? step.path,
        ...(node === undefined ? {} : { node }),
        code,
        message,
      }];
    });
  });
}

const undone = "cancelled";

interface CleanupInstance {
  readonly node?: string;
  readonly entry: number | undefined;
}

function listInstances(
  history: RunHistory,
  { fanOut }: StepLocation,
): readonly CleanupInstance[] {
  if (fanOut === undefined) return [{ entry: history.entries }];
  return listNodes(history, fanOut).map((node) => ({
    node,
    entry: history.nodes.get(instanceKey(fanOut.path, node))?.entry,
  }));
}
