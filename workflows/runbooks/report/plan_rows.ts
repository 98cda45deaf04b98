/** Rows of the steps of a plan, for its page. */

import { lowerFirst, stageTitle } from "./activity.ts";
import type { PlanStage, StageOf } from "../plan/plan.ts";

/** A step of the run; the steps of a block have its title as heading. */
export interface StepRow {
  readonly number: number;
  /** Title; in blocks of blocks, after the titles of the inner ones. */
  readonly title: string;
  readonly heading: string;
  readonly stage: PlanStage;
}

/** Lists the steps that may run, in order; blocks are replaced by their steps. */
export function listRows(stages: readonly PlanStage[]): readonly StepRow[] {
  const flatten = (
    stage: PlanStage,
    heading: string,
    outer: string,
  ): readonly Omit<StepRow, "number">[] => {
    if (stage.happens === "no" && stage.behind === undefined) return [];
    const own = formatTitle(stage);
    const title = outer === "" ? own : `${outer}${lowerFirst(own)}`;
    if (stage.verb !== "block" || stage.behind !== undefined) {
      return [{ title, heading, stage }];
    }
    const isNamed = stage.title !== undefined;
    const isTop = heading === "" && isNamed;
    return stage.steps.flatMap((one) =>
      flatten(
        one,
        isTop ? formatTitle(stage) : heading,
        isTop || !isNamed ? "" : `${title}: `,
      )
    );
  };
  return stages.flatMap((stage) => flatten(stage, "", ""))
    .map((row, i) => ({ ...row, number: i + 1 }));
}

/** Reports whether a step may run. */
export function isReached({ happens, behind }: PlanStage): boolean {
  return happens !== "no" && behind === undefined;
}

/** Row of a fan-out. */
export type FanOutRow = Pick<StepRow, "number" | "title"> & {
  readonly stage: StageOf<"forEach">;
};

/** Lists the fan-outs that are reached. */
export function listFanOuts(rows: readonly StepRow[]): readonly FanOutRow[] {
  return rows.flatMap(({ stage, ...row }) =>
    stage.verb === "forEach" && isReached(stage) ? [{ ...row, stage }] : []
  );
}

/** Formats the title of a step; its id if it has none. */
export function formatTitle({ title, verb, id }: PlanStage): string {
  return stageTitle({ path: id, title, verb });
}

/** Formats numbers of steps: `steps 1, 3-5 and 10`. */
export function formatNumbers(
  rows: readonly Pick<StepRow, "number">[],
): string {
  const parts: string[] = [];
  const numbers = rows.map(({ number }) => number);
  for (let i = 0; i < numbers.length; i++) {
    const first = numbers[i] ?? 0;
    const length = numbers.slice(i).findIndex((one, j) => one !== first + j);
    const last = length < 0 ? numbers.length - 1 : i + length - 1;
    if (last - i < 2) {
      parts.push(`${first}`);
    } else {
      parts.push(`${first}-${numbers[last]}`);
      i = last;
    }
  }
  const end = parts.pop() ?? "";
  const list = parts.length === 0 ? end : `${parts.join(", ")} and ${end}`;
  return `${numbers.length === 1 ? "step" : "steps"} ${list}`;
}

/** Reports whether it is decided at run time if a step runs at all. */
export function isOpen(stage: PlanStage): boolean {
  return stage.happens === "unknown" && stage.verb === "run" &&
    stage.previews.length === 0;
}

/** Blocks in a step, including itself. */
export function listWork(
  stage: PlanStage,
): readonly StageOf<"block" | "forEach">[] {
  return stage.verb === "block" || stage.verb === "forEach"
    ? [stage, ...stage.steps.flatMap(listWork)]
    : [];
}

/** Inner steps that would run. */
export function leaves(steps: readonly PlanStage[]): readonly PlanStage[] {
  return steps.flatMap((stage) => {
    if (!isReached(stage)) return [];
    if (stage.verb === "block" || stage.verb === "forEach") {
      return leaves(stage.steps);
    }
    const isIdle = stage.verb === "run" && stage.previews.length > 0 &&
      stage.previews.every(({ outcome }) =>
        outcome === "skip" || outcome === "nothing"
      );
    return isIdle ? [] : [stage];
  });
}

/** Lists the modules that may run, with those on failure and at the end. */
export function listRuns(
  stages: readonly PlanStage[],
): readonly StageOf<"run">[] {
  return stages.flatMap((stage) => {
    if (!isReached(stage)) return [];
    if (stage.verb === "run") return [stage];
    return stage.verb === "block" || stage.verb === "forEach"
      ? listRuns([...stage.steps, ...stage.rescue, ...stage.always])
      : [];
  });
}
