import { neededTargets } from "../journal/targets.ts";
import type { Runbook } from "../runbook.ts";
import { splitKey } from "../journal/resume_state.ts";
import {
  findCondition,
  nextCommand,
  type RunCondition,
} from "../store/run_condition.ts";
import type { SurveyedRun } from "../store/find_run.ts";
import { failedStates } from "./buckets.ts";

/** One run in a list of runs. */
export interface HistoryRow {
  readonly run: string;
  readonly runbook: string;
  readonly cluster: string;
  readonly context: string;
  /** User and host that started it. */
  readonly operator: string;
  /** State; `damaged` when its journal cannot be read. */
  readonly state: RunCondition | "damaged";
  /** Exit status; null until it finishes. */
  readonly status: number | null;
  /** Start, ISO 8601. */
  readonly startedAt: string;
  /** End, ISO 8601; null until then. */
  readonly endedAt: string | null;
  /** Duration in milliseconds: until now while it is running, until its last record if interrupted. */
  readonly tookMs: number;
  /** Number of nodes that are done; of a run that has not finished, only those that have no more steps. */
  readonly done: number;
  /** Number of nodes that failed in a fan-out. */
  readonly failed: number;
  /** Command that resumes it; null when there is nothing to resume. */
  readonly next: string | null;
}

/**
 * Makes the row of a run.
 *
 * @param steps Runbook of a run that has not finished, for nodes that it has more steps for; default only those started.
 */
export function historyRow(
  { header, run }: SurveyedRun,
  now: Date,
  steps?: Runbook,
): HistoryRow {
  const { id, runbook, cluster, context, operator, at } = header;
  const head = {
    run: id,
    runbook,
    cluster: cluster.name,
    context,
    operator,
    startedAt: at,
  };
  if (run === undefined) {
    const ends = { status: null, endedAt: null, tookMs: 0, next: null };
    return { ...head, state: "damaged", ...ends, done: 0, failed: 0 };
  }
  const { history, held } = run;
  const { end, endedAt, lastAt } = history;
  const until = held
    ? now.getTime()
    : Date.parse(endedAt === "" ? lastAt || at : endedAt);
  const targets = steps === undefined
    ? [...history.nodes].map(([key, { state = "inside" }]) => (
      { node: splitKey(key).node, state }
    ))
    : neededTargets(steps, history);
  const states = [
    ...Map.groupBy(targets, ({ node }) => node).values(),
  ].map((all) => all.map(({ state }) => state));
  return {
    ...head,
    state: findCondition(run),
    status: held || end === undefined ? null : Number(end.status),
    endedAt: held || endedAt === "" ? null : endedAt,
    tookMs: Math.max(0, until - Date.parse(at)),
    done: states.filter((all) => all.every((one) => one === "done")).length,
    failed:
      states.filter((all) => all.some((one) => failedStates.has(one))).length,
    next: nextCommand(run) ?? null,
  };
}
