/** How far the nodes of a run are, as its journal tells it. */

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
  /** It waits for its turn. */
  | "queued"
  /** It has started, and has not ended. */
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

/** Whether a rescue of an earlier entry of the run did it: what that came to is over. */
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

/** Folder of what a step inside has kept of the node, relative to that of the run. */
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

/** Nodes of all fan-outs, but of those in `rescue` and `always` only where they were begun. */
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

/**
 * Nodes of the fan-outs that were started, in a run that does not continue now; those that have not ended were not reached.
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
    .map((target) => ({ ...target, state: stateAtEnd(target.state) }));
}

function stateAtEnd(state: TargetState): NodeState {
  return state === "queued" || state === "inside" ? "not-reached" : state;
}

interface FoldableTarget {
  readonly node: string;
  /** Its state: `queued`, `running`, `done`, or how else it ended. */
  readonly state: string;
  /** Time it took, in milliseconds; null or absent while it has not ended. */
  readonly tookMs?: number | null;
}

/** States by what counts most of a node: where it is now, then what went wrong, then what is left to do. */
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
 * Counts each node once: what it is in several fan-outs is told by the one that counts most, the later one of two
 * that are done. The time is that of all of them.
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
    // What goes on has no time yet.
    if (typeof told.tookMs !== "number") return told;
    const times = all.flatMap(({ tookMs }) => tookMs ?? []);
    return { ...told, tookMs: times.reduce((sum, one) => sum + one, 0) };
  });
}

/**
 * What became of each node of a run that does not go on now, each once.
 *
 * @param state How it ended: in a run that is through, what has not begun by then was not needed.
 * @param nodes The cluster as it was seen last.
 */
export function endedNodes(
  runbook: Runbook,
  history: RunHistory,
  state: RunState,
  nodes: readonly NodeFacts[],
): readonly NodeReport[] {
  const isWhole = state === "succeeded" || state === "partial";
  const targets = isWhole
    ? endedTargets(runbook, history)
    : neededTargets(runbook, history)
      .map((target) => ({ ...target, state: stateAtEnd(target.state) }));
  const before = versionsAtStart(history);
  const known = new Map(nodes.map((one) => [one.name, one]));
  return oncePerNode(targets).map((target) => {
    const { role, version: to = "" } = known.get(target.node) ?? {};
    const from = before[target.node] ?? "";
    return {
      ...target,
      ...role === undefined ? {} : { role },
      ...from === "" ? {} : { from },
      ...to === "" ? {} : { to },
    };
  });
}

/** Versions of the nodes when the run was started, by name; empty for runs of earlier versions. */
export function versionsAtStart(
  { start }: RunHistory,
): Readonly<Record<string, string>> {
  return start?.versions ?? {};
}

/** A step of `rescue` or `always` that failed. */
export type CleanupFailure = NonNullable<RunReport["cleanup"]>[number];

/**
 * Finds steps of `rescue` and `always` that failed and have not been repeated since; those that may fail do not count.
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
      // A rescue around it has undone what it did.
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
  /** Entry of the block that counts. */
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
