/** Duration of a plan, estimated from an earlier run or from usual times. */

import { parseDuration } from "../../../lib/duration.ts";
import type { EarlierTimes } from "../plan/earlier_times.ts";
import type { PlanStage } from "../plan/plan.ts";
import { isOpen, isReached, leaves, listRows } from "./plan_rows.ts";
import { formatEstimate } from "./run_progress.ts";

/** Formats the duration of a plan. */
export function formatTime(
  stages: readonly PlanStage[],
  earlier: EarlierTimes | undefined,
): string {
  const ms = stages.reduce((sum, one) => sum + usualMs(one, earlier), 0);
  const source = earlier === undefined
    ? "default times, as it has not run on this cluster yet"
    : "as in an earlier run";
  const waits =
    listRows(stages).some(({ stage: { verb } }) => verb === "approve")
      ? " plus the time until someone approves"
      : "";
  return `${formatEstimate(ms)}${waits} (${source})`;
}

/** Usual durations of steps by their effect, in milliseconds. */
const usual = {
  read: 2_000,
  write: 10_000,
  disrupt: 180_000,
  destroy: 180_000,
};

/** The same of modules that take another time. */
const usualModules: Readonly<Record<string, number>> = {
  "upgrade.install": 60_000,
  "upgrade.legacy": 240_000,
};

function usualMs(stage: PlanStage, earlier: EarlierTimes | undefined): number {
  if (!isReached(stage)) return 0;
  const sum = (steps: readonly PlanStage[]) =>
    steps.reduce((total, one) => total + usualMs(one, earlier), 0);
  switch (stage.verb) {
    case "run": {
      const isIdle = isOpen(stage) || leaves([stage]).length === 0;
      return isIdle ? 0 : usualModules[stage.module] ?? usual[stage.effect];
    }
    case "gate":
      return parseDuration(stage.holdFor ?? "0") ?? 0;
    case "sleep":
      return parseDuration(stage.duration) ?? 0;
    case "block":
      return sum(stage.steps);
    case "forEach": {
      const meanMs = earlier?.meanMs.get(stage.path);
      // The earlier run may have had shorter waits.
      const nodeMs = meanMs === undefined
        ? sum(stage.steps)
        : Math.max(meanMs, sum(leaves(stage.steps).filter(isWait)));
      return stage.batches.length * nodeMs;
    }
    default:
      return 0;
  }
}

function isWait({ verb }: PlanStage): boolean {
  return verb === "gate" || verb === "sleep";
}
