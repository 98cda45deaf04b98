/** Duration of a plan, estimated from an earlier run or from usual times. */

import { parseDuration } from "../../../lib/duration.ts";
import type { EarlierTimes } from "../plan/earlier_times.ts";
import type { PlanStage, StageOf } from "../plan/plan.ts";
import {
  isOpen,
  isReached,
  leaves,
  listFanOuts,
  listRows,
  listRuns,
} from "./plan_rows.ts";
import { formatEstimate } from "./run_progress.ts";

/** Formats the duration of a plan. */
export function formatTime(
  stages: readonly PlanStage[],
  earlier: EarlierTimes | undefined,
): string {
  const ms = stages.reduce((sum, one) => sum + usualMs(one, earlier), 0);
  const fanOuts = listFanOuts(listRows(stages)).map(({ stage }) => stage)
    .filter(({ batches }) => batches.length > 0);
  const measured = fanOuts.filter((one) =>
    findMean(one, earlier) !== undefined
  );
  const source = earlier === undefined
    ? "default times, as it has not run on this cluster yet"
    // The earlier run may have had other steps.
    : measured.length === 0
    ? "default times"
    : measured.length < fanOuts.length
    ? "partly as in an earlier run"
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
      if (isIdle) return 0;
      return usualModules[stage.module] ??
        usual[isGentle(stage) ? "write" : stage.effect];
    }
    case "gate":
      return parseDuration(stage.holdFor ?? "0") ?? 0;
    case "sleep":
      return parseDuration(stage.duration) ?? 0;
    case "block":
      return sum(stage.steps);
    case "forEach": {
      const meanMs = findMean(stage, earlier);
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

/** Mean duration of a node in an earlier run, in milliseconds. */
function findMean(
  { path, steps }: StageOf<"forEach">,
  earlier: EarlierTimes | undefined,
): number | undefined {
  // Whether nodes reboot for a new configuration may differ from run to run.
  const differs = listRuns(steps).some(({ module, effect }) =>
    module.startsWith("config.") && effect === "disrupt"
  );
  return differs ? undefined : earlier?.meanMs.get(path);
}

/** Reports whether a step that may disrupt nodes disrupts none. */
function isGentle({ previews }: StageOf<"run">): boolean {
  const actions = previews.flatMap(({ actions }) => actions);
  return actions.length > 0 && actions.every(({ gentle }) => gentle === true);
}

function isWait({ verb }: PlanStage): boolean {
  return verb === "gate" || verb === "sleep";
}
