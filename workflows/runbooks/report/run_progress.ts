/** Progress of a run, and its remaining time by the durations of its first nodes. */

import type { FanOutShown } from "./fan_out_state.ts";
import type { RunShown } from "./run_state.ts";
import type { StageShown } from "./step_state.ts";

/** Progress of a run. */
interface RunProgress {
  /** Number of finished nodes, or steps if there are no nodes. */
  readonly done: number;
  readonly total: number;
  readonly unit: "node" | "step";
  /** Share of the work that is done, from 0 to 1. */
  readonly share: number;
}

/** Measures the progress of a run by its nodes, or without any by its steps. */
export function measureProgress(run: RunShown): RunProgress {
  const { stages, nodes } = run;
  const works = listWorks(run);
  if (works.length === 0) {
    const done = stages.filter(({ state }) =>
      state === "done" || state === "skipped"
    ).length;
    const total = stages.length;
    return { done, total, unit: "step", share: total > 0 ? done / total : 0 };
  }
  const sum = (count: (one: FanOutShown) => number) =>
    works.reduce((total, one) => total + count(one), 0);
  const share = isOpenUse(run)
    ? shareOfStages(run)
    : sum(({ ended }) => ended) / Math.max(1, sum(({ nodes }) => nodes));
  const done = nodes.filter(({ state }) => !unfinished.has(state)).length;
  return { done, total: nodes.length, unit: "node", share };
}

/** Reports whether another runbook has not finished, so that some fan-outs may be unknown. */
function isOpenUse({ stages }: RunShown): boolean {
  return stages.some(({ isUse, state }) => isUse && !over.has(state));
}

const over: ReadonlySet<string> = new Set(["done", "skipped"]);

/** Share of the work by its steps, each of which counts the same. */
function shareOfStages(run: RunShown): number {
  const shares = run.stages.flatMap((stage) => {
    const { ended, total } = countFinished(stage, run);
    if (!stage.isUse && total === 0) return [];
    return [over.has(stage.state) ? 1 : ended / Math.max(1, total)];
  });
  return shares.reduce((sum, one) => sum + one, 0) / shares.length;
}

/** Counts the nodes of the fan-outs in a step, and those that have finished. */
export function countFinished(
  { path, isUse, state }: StageShown,
  { fanOuts }: RunShown,
): { readonly ended: number; readonly total: number } {
  const within = fanOuts.filter((one) =>
    one.path === path || one.path.startsWith(`${path}/`)
  );
  const long = within.filter(({ disrupts }) => disrupts);
  // The first fan-outs of another runbook only prepare the nodes.
  const works = isUse && (long.length > 0 || state !== "done") ? long : within;
  const sum = (count: (one: FanOutShown) => number) =>
    works.reduce((total, one) => total + count(one), 0);
  const widest = isUse ? Math.max(0, ...within.map(({ nodes }) => nodes)) : 0;
  return {
    ended: sum(({ ended }) => ended),
    total: Math.max(sum(({ nodes }) => nodes), widest),
  };
}

/** States of nodes that have not finished. */
const unfinished: ReadonlySet<string> = new Set([
  "queued",
  "running",
  "waiting",
  "interrupted",
  "not-reached",
]);

const isOpen: ReadonlySet<string> = new Set(["running", "waiting"]);

/** The fan-outs that take the time: those that disrupt nodes, if any do. */
function listWorks({ fanOuts }: RunShown): readonly FanOutShown[] {
  const works = fanOuts.filter(({ nodes }) => nodes > 0);
  const long = works.filter(({ disrupts }) => disrupts);
  return long.length > 0 ? long : works;
}

/** Remaining time of a run. */
interface TimeLeft {
  readonly ms: number;
  /** True while it is unknown how many nodes at once a later step takes: it may be less. */
  readonly isMost: boolean;
}

/**
 * Estimates the remaining time of a run.
 *
 * @param now The present, in milliseconds since 1970.
 * @returns `undefined` before the first node is done, and when the last nodes take longer than the first.
 */
export function estimateLeft(run: RunShown, now: number): TimeLeft | undefined {
  const works = listWorks(run);
  const usual = works.findLast(({ meanMs }) => meanMs !== undefined)?.meanMs;
  let total = 0;
  let isMost = false;
  for (const work of works) {
    const left = work.nodes - work.ended;
    if (left === 0) continue;
    const meanMs = work.meanMs ?? usual;
    if (meanMs === undefined) return undefined;
    isMost ||= work.atOnce === undefined && left > 1;
    total += Math.ceil(left / (work.atOnce ?? 1)) * meanMs;
  }
  const passed = run.nodes.flatMap(({ path, state, startedAt }) =>
    isOpen.has(state) && startedAt !== undefined &&
      works.some((work) => work.path === path)
      ? [now - startedAt]
      : []
  );
  const left = total - Math.min(usual ?? 0, Math.max(0, ...passed));
  return left > 0 ? { ms: left, isMost } : undefined;
}

/** Formats an estimate, which has no seconds: `about 3m`. */
export function formatEstimate(ms: number): string {
  if (ms < 60_000) return "less than a minute";
  const minutes = Math.round(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  return `about ${hours === 0 ? "" : `${hours}h`}${minutes % 60}m`;
}
