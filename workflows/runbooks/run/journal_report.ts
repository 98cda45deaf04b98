/** The report of a run that has ended, for now or for good, as its journal tells it. */

import { skippedOf } from "../engine/taken_up.ts";
import type { NodeState, RunReport, RunState, TargetReport } from "../event.ts";
import { residueList } from "../journal/residue.ts";
import type { Runbook } from "../runbook.ts";
import { nextCommand } from "./condition.ts";
import type { ListedRun } from "./run_folder.ts";
import { targetsOf, type TargetState } from "./targets.ts";

/**
 * Makes the report.
 *
 * @param run The run.
 * @param runbook What it does.
 * @param artifacts Files it has made.
 * @returns `undefined` while it has no end.
 */
export function journalReport(
  run: ListedRun,
  runbook: Runbook,
  artifacts: readonly string[],
): RunReport | undefined {
  const { header, history } = run;
  const { end, startedAt, endedAt } = history;
  if (end === undefined) return undefined;
  const next = nextCommand(run);
  // All of the end was written by `run.ts` of the engine.
  const { state, status, failure, outputs = {} } = end as unknown as
    & Pick<RunReport, "state" | "status" | "failure">
    & Partial<Pick<RunReport, "outputs">>;
  return {
    run: header.id,
    runbook: header.runbook,
    cluster: header.cluster.name,
    state,
    status,
    startedAt,
    endedAt,
    targets: endedTargets(runbook, history, state),
    ...(failure === undefined ? {} : { failure }),
    skipped: skippedOf(history),
    residue: residueList(history.residue),
    artifacts,
    outputs,
    ...(next === undefined ? {} : { next }),
  };
}

/** Targets of the fan-outs that were begun. */
function endedTargets(
  runbook: Runbook,
  history: ListedRun["history"],
  ended: RunState,
): readonly TargetReport[] {
  const targets = targetsOf(runbook, history);
  const begun = new Set(
    targets.flatMap(({ path, state }) => state === "queued" ? [] : [path]),
  );
  return targets.filter(({ path }) => begun.has(path))
    .map((target) => ({ ...target, state: stateAtEnd(target.state, ended) }));
}

/** What a run left in the middle of its steps goes on, or was given up with it. */
function stateAtEnd(state: TargetState, ended: RunState): NodeState {
  if (state !== "queued" && state !== "inside") return state;
  return state === "inside" && ended === "cancelled" ? "failed" : "not-reached";
}
